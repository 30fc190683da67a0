// Makes the npm package @herald/node: `node sdks/node/build.ts [directory]`, by default in sdks/node/dist. Code in this repository imports the
// sources directly, so the built package gets a package.json of its own.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import manifest from './package.json' with { type: 'json' }

const here = import.meta.dirname
const root = join(here, '../..')
const mostBytes = 9_000

/** Builds the package into a directory. Gives the size of its script in bytes after gzip; throws when the size is above the limit. */
export async function buildPackage(directory: string): Promise<number> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const [format, file] of [
    ['esm', 'herald.js'],
    ['cjs', 'cjs/herald.js'],
  ] as const)
    await build({
      entryPoints: [join(here, 'src/herald.ts')],
      outfile: join(directory, file),
      bundle: true,
      format,
      platform: 'neutral',
      target: 'es2022',
      // Names are not shortened, so that stack traces stay readable.
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      logLevel: 'warning',
    })
  writeTypes(join(directory, 'types'))
  // Jest, NestJS and TypeScript's node16 load the twin. Its folder says that its scripts and types are CommonJS.
  cpSync(join(directory, 'types'), join(directory, 'cjs/types'), { recursive: true })
  writeFileSync(join(directory, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  for (const file of ['README.md', 'CHANGELOG.md']) cpSync(join(here, file), join(directory, file))
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`)
  const size = gzipSync(readFileSync(join(directory, 'herald.js'))).length
  if (size > mostBytes) throw new Error(`herald.js is ${size} bytes gzipped, more than ${mostBytes}`)
  return size
}

function writeTypes(directory: string): void {
  const files = globSync('src/*.ts', { cwd: here }).filter((file) => !/\.test\.ts$/.test(file))
  const flags = ['--declaration', '--emitDeclarationOnly', '--outDir', directory, '--rootDir', join(here, 'src'), '--target', 'es2022']
  const rules = ['--module', 'nodenext', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--types', 'node', '--ignoreConfig']
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...flags, ...rules, ...files.map((file) => join(here, file))],
    { cwd: here, encoding: 'utf8', timeout: 120_000 },
  )
  if (status !== 0) throw new Error(`the types were not written: ${stdout}`)
  for (const file of globSync('*.d.ts', { cwd: directory })) {
    const path = join(directory, file)
    // The published package contains .js files and no .ts sources, so imports in its types must end in .js.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from |import\()(['"])(\.\/[\w.-]+)\.ts\2/g, '$1$2$3.js$2'))
  }
}

function publishedManifest(): object {
  const { name, version, description, license, type } = manifest
  return {
    name,
    version,
    description,
    license,
    type,
    keywords: ['push', 'notifications', 'apns', 'fcm', 'web-push', 'webhooks'],
    sideEffects: false,
    main: './cjs/herald.js',
    types: './cjs/types/herald.d.ts',
    exports: {
      '.': {
        import: { types: './types/herald.d.ts', default: './herald.js' },
        require: { types: './cjs/types/herald.d.ts', default: './cjs/herald.js' },
      },
      './package.json': './package.json',
    },
    files: ['herald.js', 'types', 'cjs', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    engines: { node: '>=20' },
  }
}

if (import.meta.main) {
  const directory = process.argv[2] ?? join(here, 'dist')
  const size = await buildPackage(directory)
  console.log(`@herald/node: ${(size / 1000).toFixed(1)} kB gzipped of at most ${mostBytes / 1000}, in ${directory}`)
}
