// Builds what the gateway serves below /sdk/v1: the scripts of the web SDK, and in `packages` the npm packages of the web and Node SDKs and of the
// command line, so that nobody needs a registry: `npm install https://push.example.com/sdk/v1/web-0.2.0.tgz`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackage as buildCli } from '../../sdks/cli/build.ts'
import { buildPackage as buildNode } from '../../sdks/node/build.ts'
import { buildPackage as buildWeb } from '../../sdks/web/build.ts'
import { root } from './workspace.ts'

const output = join(root, 'sdks/web/dist')
const temporary = mkdtempSync(join(tmpdir(), 'herald-packages-'))
try {
  await buildWeb(output)
  await buildNode(join(temporary, 'node'))
  await buildCli(join(temporary, 'cli'))
  const packages = join(output, 'packages')
  mkdirSync(packages)
  const newest: Record<string, string> = {}
  for (const [name, directory] of [
    ['web', output],
    ['node', join(temporary, 'node')],
    ['cli', join(temporary, 'cli')],
  ] as const) {
    const { file, version } = pack(directory)
    newest[name] = `${name}-${version}.tgz`
    renameSync(join(temporary, file), join(packages, newest[name]))
  }
  writeFileSync(join(packages, 'newest.json'), `${JSON.stringify(newest, null, 2)}\n`)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

/** Packs a built package. Gives the name of the file in the temporary directory, and the version. */
function pack(directory: string): { file: string; version: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', temporary], {
    cwd: directory,
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (status !== 0) throw new Error(`npm pack ended with ${status} in ${directory}: ${stderr}`)
  const [packed] = JSON.parse(stdout) as [{ filename: string; version: string }]
  return { file: packed.filename.replace('@', '').replace('/', '-'), version: packed.version }
}
