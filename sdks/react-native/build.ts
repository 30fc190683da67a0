// Makes the npm package @herald/react-native: `node sdks/react-native/build.ts [directory]`, by default in sdks/react-native/dist. It contains the files of
// sdks/kotlin and sdks/swift.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import manifest from './package.json' with { type: 'json' }

const here = import.meta.dirname
const root = join(here, '../..')

/** An app has Expo's own copy of this package. */
const ofExpo: Plugin = {
  name: 'of-expo',
  setup: (setup) => setup.onResolve({ filter: /^@expo\/config-plugins$/ }, () => ({ path: 'expo/config-plugins', external: true })),
}

export async function buildPackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const settings = { bundle: true, target: 'es2022', legalComments: 'none', logLevel: 'warning' } as const
  await build({
    ...settings,
    entryPoints: [join(here, 'src/index.ts')],
    outfile: join(directory, 'lib/index.js'),
    format: 'esm',
    external: ['react-native'],
  })
  await build({
    ...settings,
    entryPoints: [join(here, 'plugin/with-herald.ts')],
    outfile: join(directory, 'app.plugin.js'),
    format: 'cjs',
    platform: 'node',
    define: { 'import.meta.dirname': '__dirname' },
    footer: { js: 'module.exports = module.exports.default' },
    plugins: [ofExpo],
  })
  writeTypes(join(directory, 'lib'))
  for (const file of ['README.md', 'CHANGELOG.md', 'HeraldReactNative.podspec', 'android', 'ios'])
    cpSync(join(here, file), join(directory, file), { recursive: true })
  cpSync(join(here, 'src/NativeHerald.ts'), join(directory, 'src/NativeHerald.ts'))
  cpSync(join(root, 'sdks/kotlin/src/main'), join(directory, 'android/src/main'), { recursive: true })
  for (const file of ['Herald.swift', 'HeraldPushes.swift']) cpSync(join(root, 'sdks/swift', file), join(directory, 'ios', file))
  mkdirSync(join(directory, 'extension'))
  cpSync(join(root, 'sdks/swift/NotificationService.swift'), join(directory, 'extension/NotificationService.swift'))
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  const { name, version, description, license, codegenConfig } = manifest
  const published = {
    ...{ name, version, description, license },
    keywords: ['react-native', 'expo', 'push', 'notifications', 'apns', 'fcm'],
    main: './lib/index.js',
    types: './lib/index.d.ts',
    files: [
      'lib',
      'src',
      'android',
      'ios',
      'extension',
      'app.plugin.js',
      'HeraldReactNative.podspec',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
    ],
    codegenConfig,
    peerDependencies: { 'react-native': '>=0.76', expo: '>=53' },
    peerDependenciesMeta: { expo: { optional: true } },
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** Writes the types of what an app imports. They name nothing of React Native. */
function writeTypes(directory: string): void {
  const flags = ['--declaration', '--emitDeclarationOnly', '--outDir', directory, '--rootDir', join(here, 'src'), '--target', 'es2022']
  const rules = ['--module', 'nodenext', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--types', '', '--ignoreConfig']
  const files = ['src/index.ts', 'src/device.ts', 'types/react-native.d.ts'].map((file) => join(here, file))
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags, ...rules, ...files], {
    cwd: here,
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`the types were not written: ${stdout}`)
  rmSync(join(directory, 'NativeHerald.d.ts'), { force: true })
  for (const file of ['index.d.ts', 'device.d.ts']) {
    const path = join(directory, file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from )(['"])(\.\/[\w.-]+)\.ts\2/g, '$1$2$3.js$2'))
  }
}

if (import.meta.main) await buildPackage(process.argv[2] ?? join(here, 'dist'))
