// Makes the npm package @herald/web, whose scripts the gateway also serves at /sdk/v1: `node sdks/web/build.ts [directory]`, by default in
// sdks/web/dist. Code in this repository imports the sources directly, so the built package gets a package.json of its own.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { minify } from 'terser'
import manifest from './package.json' with { type: 'json' }

const here = import.meta.dirname
const root = join(here, '../..')

/**
 * The files that a page and a service worker load, each as a module and as a script that defines `Herald`. `most` is how many bytes a file may have
 * after gzip.
 */
const scripts = [
  { entry: 'index', exported: 'init, HeraldError', file: 'herald.mjs', most: 5_000 },
  { entry: 'index', exported: 'init, HeraldError', file: 'herald.iife.js', most: 5_000 },
  { entry: 'worker', exported: 'start, isOurs', file: 'worker.mjs', most: 2_900 },
  { entry: 'worker', exported: 'start, isOurs', file: 'worker.iife.js', most: 2_900 },
] as const

/**
 * Further entries, as modules alone. They use the page's half as it is (`./herald.mjs`), and what the page has already (React, Vue). A language of
 * <herald-ask> is a file of its own.
 */
const languages = globSync('*.ts', { cwd: join(here, 'src/texts') }).map((file) => file.replace(/\.ts$/, ''))
const further = ['react', 'vue', 'svelte', 'ui', 'badge', 'categories', 'conversions', 'inbox']
const modules = [
  { entry: 'react', file: 'react.mjs', most: 1_000 },
  { entry: 'vue', file: 'vue.mjs', most: 1_000 },
  { entry: 'svelte', file: 'svelte.mjs', most: 1_000 },
  { entry: 'ui', file: 'ui.mjs', most: 4_000 },
  { entry: 'badge', file: 'badge.mjs', most: 1_500 },
  { entry: 'categories', file: 'categories.mjs', most: 1_500 },
  { entry: 'conversions', file: 'conversions.mjs', most: 1_500 },
  { entry: 'inbox', file: 'inbox.mjs', most: 1_500 },
  ...languages
    .filter((language) => language !== 'en')
    .map((language) => ({ entry: `texts/${language}`, file: `texts/${language}.mjs`, most: 500 })),
]

/** Builds the package into a directory. Gives the size of each script in bytes after gzip; throws when a script is above its limit. */
export async function buildPackage(directory: string): Promise<Record<string, number>> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const { entry, exported, file } of scripts) {
    // The script assigns `Herald` itself, because esbuild's own way to define a global (`globalName`) adds 200 bytes.
    const contents = file.endsWith('.mjs')
      ? `export { ${exported} } from './${entry}.ts'`
      : `import { ${exported} } from './${entry}.ts'; globalThis.Herald = { ${exported} }`
    await writeScript(join(directory, file), contents)
  }
  mkdirSync(join(directory, 'texts'))
  for (const { entry, file } of modules) await writeScript(join(directory, file), `export * from './${entry}.ts'`)
  writeTypes(join(directory, 'types'))
  for (const file of ['README.md', 'CHANGELOG.md']) cpSync(join(here, file), join(directory, file))
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  writeJson(join(directory, 'package.json'), publishedManifest())
  const texts = scripts.map(({ file }) => [file, readFileSync(join(directory, file))] as const)
  const digest = (text: Buffer) => `sha384-${createHash('sha384').update(text).digest('base64')}`
  writeJson(join(directory, 'integrity.json'), Object.fromEntries(texts.map(([file, text]) => [file, digest(text)])))
  const all = [...scripts, ...modules]
  const sizes = Object.fromEntries(all.map(({ file }) => [file, gzipSync(readFileSync(join(directory, file)), { level: 9 }).length]))
  for (const { file, most } of all) {
    if ((sizes[file] ?? 0) > most) throw new Error(`${file} is ${sizes[file]} bytes of gzip, more than ${most}. Take something out.`)
  }
  return sizes
}

async function writeScript(path: string, contents: string): Promise<void> {
  const isModule = path.endsWith('.mjs')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(here, 'src'), loader: 'ts' },
    format: isModule ? 'esm' : 'iife',
    bundle: true,
    minify: true,
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    external: ['react', 'vue'],
    plugins: path.endsWith('react.mjs') ? [usesPage] : [loadsTexts],
  })
  // terser takes 3 to 4 % more away than esbuild alone, about 200 bytes of what every visitor loads.
  const { code = '' } = await minify(outputFiles[0]?.text ?? '', {
    module: isModule,
    ecma: 2020,
    compress: { passes: 3, inline: 1, unsafe_arrows: true, unsafe_methods: true },
  })
  // Frameworks that render on a server load this entry, which keeps a context and a state, in the browser's half. Minifiers drop the line.
  writeFileSync(path, path.endsWith('react.mjs') ? `'use client';${code}` : code)
}

/** Makes an entry import the page's half as the page does, so that both share one Herald. */
const usesPage: Plugin = {
  name: 'uses the page',
  setup: (building) => building.onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path: './herald.mjs', external: true })),
}

/** Leaves the languages of <herald-ask> in their own files. */
const loadsTexts: Plugin = {
  name: 'loads texts',
  setup: (building) =>
    building.onResolve({ filter: /^\.\/texts\// }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: path.replace(/\.ts$/, '.mjs'), external: true } : undefined,
    ),
}

const writeJson = (path: string, value: object): void => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)

function writeTypes(directory: string): void {
  const files = ['index', 'worker', ...further].map((name) => join(here, `src/${name}.ts`))
  const output = ['--declaration', '--emitDeclarationOnly', '--outDir', directory, '--rootDir', join(here, 'src'), '--target', 'es2022']
  const rules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--strict', '--skipLibCheck', '--allowImportingTsExtensions']
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--ignoreConfig', '--types', '', ...output, ...rules, ...files],
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
    keywords: ['push', 'notifications', 'web-push', 'service-worker'],
    // Loading a module has no side effect. Loading a script defines `Herald`, so a bundler must not drop the scripts.
    sideEffects: ['*.iife.js'],
    exports: {
      '.': { types: './types/index.d.ts', default: './herald.mjs' },
      './worker': { types: './types/worker.d.ts', default: './worker.mjs' },
      ...Object.fromEntries(further.map((name) => [`./${name}`, { types: `./types/${name}.d.ts`, default: `./${name}.mjs` }])),
      './herald.iife.js': './herald.iife.js',
      './worker.iife.js': './worker.iife.js',
      './integrity.json': './integrity.json',
      './package.json': './package.json',
    },
    peerDependencies: { react: '>=18', vue: '>=3.3' },
    peerDependenciesMeta: { react: { optional: true }, vue: { optional: true } },
    files: [...[...scripts, ...modules].map(({ file }) => file), 'integrity.json', 'types', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  }
}

if (import.meta.main) {
  for (const [file, size] of Object.entries(await buildPackage(process.argv[2] ?? join(here, 'dist')))) {
    console.log(`${file}: ${size} bytes of gzip`)
  }
}
