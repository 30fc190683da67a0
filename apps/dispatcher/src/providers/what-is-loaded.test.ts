import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Loads the dispatcher's code from `wire.ts` on, and prints which packages were loaded with it. */
const loader = `
  import { registerHooks } from 'node:module'
  const seen = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name) seen.add(name)
      return next(url, context)
    },
  })
  await import(${JSON.stringify(resolve(import.meta.dirname, '../wire.ts'))})
  process.stdout.write(JSON.stringify([...seen]))
`

test('loading the dispatcher’s code loads none of the providers’ libraries, which only TRANSPORT=library needs', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', loader], { encoding: 'utf8', timeout: 60_000 })
  expect(stderr).toBe('')
  const seen = JSON.parse(stdout) as string[]
  expect(seen).toContain('lru-cache')
  expect(seen).not.toContain('@parse/node-apn')
  expect(seen).not.toContain('firebase-admin')
  expect(seen).not.toContain('web-push')
})
