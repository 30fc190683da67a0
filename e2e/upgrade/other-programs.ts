// Loaded with `node --import`. A service that the JSON list in the file OTHER_SERVICES names runs from the programs in OTHER_PROGRAMS, and not from
// those that its starter started.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { OTHER_SERVICES: list = '', OTHER_PROGRAMS: programs = '' } = process.env
const [, program = '', , service = ''] = process.argv

if (program.endsWith('/server.mjs') && (JSON.parse(readFileSync(list, 'utf8')) as string[]).includes(service)) {
  const [before, after] = [pathToFileURL(program).href, pathToFileURL(join(programs, 'server.mjs')).href]
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      return found.url === before ? { ...found, url: after } : found
    },
  })
}
