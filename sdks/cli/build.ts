// Makes the npm package @herald/cli: `node sdks/cli/build.ts [directory]`, by default in sdks/cli/dist. Its one script contains @herald/node.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import manifest from './package.json' with { type: 'json' }

const here = import.meta.dirname
const mostBytes = 40_000

/** Builds the package into a directory. Gives the size of its script in bytes after gzip; throws when the size is above the limit. */
export async function buildPackage(directory: string): Promise<number> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const outfile = join(directory, 'herald.js')
  await build({
    entryPoints: [join(here, 'src/herald.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
  })
  chmodSync(outfile, 0o755)
  for (const file of ['README.md', 'CHANGELOG.md']) cpSync(join(here, file), join(directory, file))
  cpSync(join(here, '../../LICENSE'), join(directory, 'LICENSE'))
  const { name, version, description, license, type } = manifest
  const published = {
    name,
    version,
    description,
    license,
    type,
    keywords: ['push', 'notifications', 'cli', 'webhooks'],
    bin: { herald: './herald.js' },
    files: ['herald.js', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    engines: { node: '>=20.12' },
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  const size = gzipSync(readFileSync(outfile)).length
  if (size > mostBytes) throw new Error(`herald.js is ${size} bytes gzipped, more than ${mostBytes}`)
  return size
}

if (import.meta.main) {
  const directory = process.argv[2] ?? join(here, 'dist')
  const size = await buildPackage(directory)
  console.log(`@herald/cli: ${(size / 1000).toFixed(1)} kB gzipped of at most ${mostBytes / 1000}, in ${directory}`)
}
