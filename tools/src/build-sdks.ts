// Builds what the gateway serves below /sdk/v1: the scripts of the web SDK, and in `packages` the packages of all SDKs for servers and of the
// command line, so that nobody needs a registry: `npm install https://push.example.com/sdk/v1/web-0.2.0.tgz`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './workspace.ts'

const sources = {
  python: { code: ['herald', 'pyproject.toml', 'build_wheel.py'], versionIn: 'herald/version.py' },
  go: { code: ['go.mod', 'herald.go', 'errors.go', 'webhooks.go', 'operations.go'], versionIn: 'herald.go' },
} as const
const output = join(root, 'sdks/web/dist')
const temporary = mkdtempSync(join(tmpdir(), 'herald-packages-'))
try {
  const packages = join(output, 'packages')
  const newest: Record<string, string> = {}
  for (const [name, directory] of [
    ['web', output],
    ['node', join(temporary, 'node')],
    ['cli', join(temporary, 'cli')],
    ['python', join(temporary, 'python')],
    ['go', join(temporary, 'go')],
  ] as const) {
    if (name === 'python' || name === 'go') gatherSources(name, directory)
    else run(process.execPath, [join(root, 'sdks', name, 'build.ts'), directory], root)
    const { file, version } = pack(directory)
    newest[name] = `${name}-${version}.tgz`
    mkdirSync(packages, { recursive: true })
    renameSync(join(temporary, file), join(packages, newest[name]))
  }
  writeFileSync(join(packages, 'newest.json'), `${JSON.stringify(newest, null, 2)}\n`)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

/**
 * Copies the sources of a client: pip builds Python's with build_wheel.py, and Go's are a module. They get a package.json, because npm packs the same
 * files into the same bytes.
 */
function gatherSources(name: keyof typeof sources, directory: string): void {
  const source = join(root, 'sdks', name)
  const { code, versionIn } = sources[name]
  const files = [...code, 'README.md', 'CHANGELOG.md']
  const isWanted = (path: string) => !path.endsWith('__pycache__')
  for (const file of files) cpSync(join(source, file), join(directory, file), { recursive: true, filter: isWanted })
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  const version = /[vV]ersion(?:__)? = "(.+)"/.exec(readFileSync(join(source, versionIn), 'utf8'))?.[1]
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: `@herald/${name}`, version, files }))
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
