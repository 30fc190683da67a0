// Makes the npm package @herald/capacitor: `node sdks/capacitor/build.ts [directory]`, by default in sdks/capacitor/dist. It contains the files of
// sdks/kotlin and sdks/swift.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import manifest from './package.json' with { type: 'json' }

const here = import.meta.dirname
const root = join(here, '../..')

export async function buildPackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const [format, file] of [
    ['esm', 'dist/index.js'],
    ['cjs', 'dist/index.cjs'],
  ] as const)
    await build({
      entryPoints: [join(here, 'src/index.ts')],
      outfile: join(directory, file),
      format,
      bundle: true,
      target: 'es2022',
      legalComments: 'none',
      logLevel: 'warning',
      external: ['@capacitor/core'],
    })
  writeTypes(join(directory, 'dist'))
  for (const file of ['README.md', 'CHANGELOG.md', 'HeraldCapacitor.podspec', 'Package.swift', 'android', 'ios'])
    cpSync(join(here, file), join(directory, file), { recursive: true })
  cpSync(join(root, 'sdks/kotlin/src/main'), join(directory, 'android/src/main'), { recursive: true })
  for (const file of ['Herald.swift', 'HeraldPushes.swift'])
    cpSync(join(root, 'sdks/swift', file), join(directory, 'ios/Sources/HeraldPlugin', file))
  mkdirSync(join(directory, 'extension'))
  cpSync(join(root, 'sdks/swift/NotificationService.swift'), join(directory, 'extension/NotificationService.swift'))
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  const { name, version, description, license } = manifest
  const published = {
    ...{ name, version, description, license },
    keywords: ['capacitor', 'plugin', 'push', 'notifications', 'apns', 'fcm'],
    type: 'module',
    main: './dist/index.cjs',
    module: './dist/index.js',
    types: './dist/index.d.ts',
    exports: {
      '.': { types: './dist/index.d.ts', import: './dist/index.js', require: './dist/index.cjs' },
      './package.json': './package.json',
    },
    files: ['dist', 'android', 'ios', 'extension', 'Package.swift', 'HeraldCapacitor.podspec', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    capacitor: { ios: { src: 'ios' }, android: { src: 'android' } },
    peerDependencies: { '@capacitor/core': '>=7.0.0' },
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** Writes the types of what an app imports: those of this package, and those that it shares with @herald/react-native. */
function writeTypes(directory: string): void {
  const written = mkdtempSync(join(tmpdir(), 'herald-types-'))
  try {
    const flags = ['--declaration', '--emitDeclarationOnly', '--outDir', written, '--rootDir', join(root, 'sdks'), '--target', 'es2022']
    const rules = ['--module', 'nodenext', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--types', '', '--ignoreConfig']
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...flags,
        ...rules,
        '--lib',
        'es2022,dom',
        join(here, 'src/index.ts'),
        join(root, 'sdks/react-native/src/device.ts'),
      ],
      { cwd: here, encoding: 'utf8', timeout: 120_000 },
    )
    if (status !== 0) throw new Error(`the types were not written: ${stdout}`)
    renameSync(join(written, 'react-native/src/device.d.ts'), join(directory, 'device.d.ts'))
    const own = readFileSync(join(written, 'capacitor/src/index.d.ts'), 'utf8')
    writeFileSync(join(directory, 'index.d.ts'), own.replaceAll('@herald/react-native/device', './device.js'))
  } finally {
    rmSync(written, { recursive: true, force: true })
  }
}

if (import.meta.main) await buildPackage(process.argv[2] ?? join(here, 'dist'))
