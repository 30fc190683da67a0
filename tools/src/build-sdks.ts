// Builds what the gateway serves below /sdk/v1: the scripts of the web SDK, and in `packages` those of all SDKs for servers and of the command line,
// for `npm install https://push.example.com/sdk/v1/web-0.2.0.tgz` without a registry.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './workspace.ts'

/** What a package of sources consists of: files of its folder under `sdks`, files of other folders there, and the file with its version. */
type Sources = { code: readonly string[]; copied?: Readonly<Record<string, string>>; versionIn: string }
const ofSwift = (to: string) => Object.fromEntries(['Herald', 'HeraldPushes'].map((name) => [`swift/${name}.swift`, `${to}/${name}.swift`]))
const sources: Readonly<Record<string, Sources>> = {
  python: { code: ['herald', 'pyproject.toml', 'build_wheel.py'], versionIn: 'herald/version.py' },
  go: { code: ['go.mod', 'herald.go', 'errors.go', 'webhooks.go', 'operations.go'], versionIn: 'herald.go' },
  kotlin: { code: ['src', 'build.gradle.kts', 'settings.gradle.kts'], versionIn: 'src/main/kotlin/dev/herald/Herald.kt' },
  swift: { code: ['Package.swift', 'Herald.swift', 'HeraldPushes.swift', 'NotificationService.swift'], versionIn: 'Herald.swift' },
  flutter: {
    code: ['pubspec.yaml', 'lib', 'test', 'android', 'ios'],
    copied: {
      'kotlin/src/main': 'android/src/main',
      ...ofSwift('ios/herald_flutter/Sources/herald_flutter'),
      'swift/NotificationService.swift': 'extension/NotificationService.swift',
    },
    versionIn: 'pubspec.yaml',
  },
}
const output = join(root, 'sdks/web/dist')
const temporary = mkdtempSync(join(tmpdir(), 'herald-packages-'))
try {
  const packages = join(output, 'packages')
  const newest: Record<string, string> = {}
  for (const name of ['web', 'node', 'cli', 'react-native', 'capacitor', ...Object.keys(sources)]) {
    const directory = name === 'web' ? output : join(temporary, name)
    const gathered = sources[name]
    if (gathered) gatherSources(name, gathered, directory)
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
 * Copies sources that another tool builds: pip, Go, Gradle, Swift's or Flutter's package manager. They get a package.json, because npm packs the same
 * files into the same bytes.
 */
function gatherSources(name: string, { code, copied = {}, versionIn }: Sources, directory: string): void {
  const source = join(root, 'sdks', name)
  const own = [...code, 'README.md', 'CHANGELOG.md']
  const isWanted = (path: string) => !path.endsWith('__pycache__')
  for (const file of own) cpSync(join(source, file), join(directory, file), { recursive: true, filter: isWanted })
  for (const [from, to] of Object.entries(copied)) cpSync(join(root, 'sdks', from), join(directory, to), { recursive: true })
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  const version = /[vV]ersion(?:__)?(?: = "|: )([\d.]+)/.exec(readFileSync(join(source, versionIn), 'utf8'))?.[1]
  const files = [...own, ...Object.values(copied)]
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
