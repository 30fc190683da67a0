import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const here = import.meta.dirname
/** `dist`, or the folder that is named: tests build one of their own. */
const out = process.argv[2] ?? join(here, 'dist')
const kB = 1_000

/** What is built: the page's part and the worker's, each as a module and as a script that defines `Herald`. Limits in bytes of gzip. */
const files = [
  { entry: 'index', name: 'herald.mjs', format: 'esm', limit: 5 * kB },
  { entry: 'index', name: 'herald.iife.js', format: 'iife', limit: 5 * kB },
  { entry: 'worker', name: 'worker.mjs', format: 'esm', limit: 2.5 * kB },
  { entry: 'worker', name: 'worker.iife.js', format: 'iife', limit: 2.5 * kB },
] as const

/** A script defines `Herald` by hand: what esbuild writes for that is 200 bytes. */
const doors = { index: 'init, HeraldError', worker: 'start, isOurs' } as const
const contentsOf = (entry: keyof typeof doors, format: 'esm' | 'iife'): string =>
  format === 'esm'
    ? `export { ${doors[entry]} } from './${entry}.ts'`
    : `import { ${doors[entry]} } from './${entry}.ts'; globalThis.Herald = { ${doors[entry]} }`

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const integrity: Record<string, string> = {}
const tooLarge: string[] = []
for (const { entry, name, format, limit } of files) {
  await build({
    stdin: { contents: contentsOf(entry, format), resolveDir: join(here, 'src'), loader: 'ts' },
    outfile: join(out, name),
    format,
    bundle: true,
    minify: true,
    target: 'es2022',
    logLevel: 'warning',
  })
  const text = readFileSync(join(out, name))
  const size = gzipSync(text, { level: 9 }).length
  integrity[name] = `sha384-${createHash('sha384').update(text).digest('base64')}`
  console.log(`${name}: ${size} bytes of gzip, at most ${limit}`)
  if (size > limit) tooLarge.push(name)
}
writeFileSync(join(out, 'integrity.json'), `${JSON.stringify(integrity, null, 2)}\n`)
if (tooLarge.length > 0) {
  console.error(`Too large: ${tooLarge.join(', ')}. What a page loads before it does anything must stay small; take something out.`)
  process.exit(1)
}
