// Builds the dashboard into dist/: bundles it, compresses each script, style, page and svg (.br, .gz), and checks its parts against their limits and
// index.html against the content security policy. Prints what is wrong, and then exits with 1.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { gzipped, refusedOf, weigh, type Built } from './budgets.ts'

const out = join(import.meta.dirname, 'dist')

await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })

const problems: string[] = []

for (const refused of refusedOf(readFileSync(join(out, 'index.html'), 'utf8')))
  problems.push(`index.html has what the content security policy refuses: ${refused}`)

const manifest = JSON.parse(readFileSync(join(out, '.vite/manifest.json'), 'utf8')) as Record<string, Built>
for (const { name, bytes, limit } of weigh(manifest, (file) => gzipped(readFileSync(join(out, file))))) {
  console.log(`${(bytes / 1000).toFixed(1).padStart(6)} kB of ${String(limit / 1000).padStart(3)}  ${name}`)
  if (bytes > limit)
    problems.push(`${name} has ${bytes} bytes of gzip and may have ${limit}: load what is seldom needed later, or take it out`)
}

for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(js|css|html|svg)$/.test(file)) continue
  const path = join(out, file)
  const bytes = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
