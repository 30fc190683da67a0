// Makes the npm package @herald/cli: `node sdks/cli/build.ts [directory]`, by default in sdks/cli/dist. Its scripts contain the packages that they import.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import manifest from './package.json' with { type: 'json' }

const here = import.meta.dirname
/** What every command loads. */
const mostBytes = 40_000
/** With what a command loads when it needs it: the reader of YAML, and the protocol for assistants, which is the largest. */
const mostBytesInAll = 350_000

/**
 * Builds the package into a directory. Gives the size in bytes after gzip of what every command loads; throws when it, or all scripts together, are
 * above their limit.
 */
export async function buildPackage(directory: string): Promise<number> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const { metafile } = await build({
    entryPoints: [join(here, 'src/herald.ts')],
    outdir: directory,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Without it each part begins with a comment that names its path from here: the size would depend on where the package is built.
    minifyWhitespace: true,
    // The reader of YAML is CommonJS, and requires modules of Node.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: directory,
  })
  chmodSync(join(directory, 'herald.js'), 0o755)
  for (const file of ['README.md', 'CHANGELOG.md']) cpSync(join(here, file), join(directory, file))
  cpSync(join(here, '../../LICENSE'), join(directory, 'LICENSE'))
  writeFileSync(join(directory, 'LICENSES-OF-OTHERS.txt'), licensesOfOthers(directory, metafile))
  const { name, version, description, license, type } = manifest
  const published = {
    name,
    version,
    description,
    license,
    type,
    keywords: ['push', 'notifications', 'cli', 'webhooks'],
    bin: { herald: './herald.js' },
    files: ['herald.js', 'chunks', 'README.md', 'CHANGELOG.md', 'LICENSE', 'LICENSES-OF-OTHERS.txt'],
    engines: { node: '>=20.12' },
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  const sizeOf = (file: string) => gzipSync(readFileSync(join(directory, file))).length
  const files = Object.keys(metafile.outputs)
  const size = [...loadedWith('herald.js', metafile)].reduce((sum, file) => sum + sizeOf(file), 0)
  const whole = files.reduce((sum, file) => sum + sizeOf(file), 0)
  if (size > mostBytes) throw new Error(`every command loads ${size} bytes gzipped, more than ${mostBytes}`)
  if (whole > mostBytesInAll) throw new Error(`all scripts are ${whole} bytes gzipped, more than ${mostBytesInAll}`)
  return size
}

/** Gives a script and the scripts that it imports at once, without those that it imports when it needs them. */
function loadedWith(file: string, metafile: Metafile, found = new Set<string>()): Set<string> {
  found.add(file)
  for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
    if (kind === 'import-statement' && metafile.outputs[path] && !found.has(path)) loadedWith(path, metafile, found)
  return found
}

/** Gives the licenses of the packages that the scripts contain, because these ask that their text goes along. */
function licensesOfOthers(directory: string, { inputs }: Metafile): string {
  const packages = new Set(Object.keys(inputs).flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const texts = [...packages].toSorted().map((path) => {
    const home = join(directory, path)
    const { name, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { name: string; version: string }
    const file = readdirSync(home).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry))
    if (file === undefined) throw new Error(`the package ${name} has no file with its license`)
    return `${name} ${version}\n\n${readFileSync(join(home, file), 'utf8').trim()}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

if (import.meta.main) {
  const directory = process.argv[2] ?? join(here, 'dist')
  const size = await buildPackage(directory)
  console.log(`@herald/cli: ${(size / 1000).toFixed(1)} kB gzipped of at most ${mostBytes / 1000}, in ${directory}`)
}
