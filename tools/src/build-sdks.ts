// Builds what the gateway serves below /sdk/v1: the scripts of the web SDK, and in `packages` the npm packages of the web and Node SDKs and of the
// command line, so that nobody needs a registry: `npm install https://push.example.com/sdk/v1/web-0.2.0.tgz`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './workspace.ts'

const output = join(root, 'sdks/web/dist')
const temporary = mkdtempSync(join(tmpdir(), 'herald-packages-'))
try {
  const packages = join(output, 'packages')
  const newest: Record<string, string> = {}
  for (const [name, directory] of [
    ['web', output],
    ['node', join(temporary, 'node')],
    ['cli', join(temporary, 'cli')],
  ] as const) {
    run(process.execPath, [join(root, 'sdks', name, 'build.ts'), directory], root)
    const { file, version } = pack(directory)
    newest[name] = `${name}-${version}.tgz`
    mkdirSync(packages, { recursive: true })
    renameSync(join(temporary, file), join(packages, newest[name]))
  }
  writeFileSync(join(packages, 'newest.json'), `${JSON.stringify(newest, null, 2)}\n`)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

/** Packs a built package. Gives the name of the file in the temporary directory, and the version. */
function pack(directory: string): { file: string; version: string } {
  const told = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', temporary], directory)
  const [packed] = JSON.parse(told) as [{ filename: string; version: string }]
  return { file: packed.filename.replace('@', '').replace('/', '-'), version: packed.version }
}

function run(program: string, given: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, given, { cwd, encoding: 'utf8', timeout: 120_000 })
  if (status !== 0) throw new Error(`${program} ${given[0]} ended with ${status}: ${stderr}`)
  return stdout
}
