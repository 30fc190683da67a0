// Runs testing/suite.ts as a worker in workerd: `node run-in-workerd.mjs <package.json of miniflare> <bundled suite> <url of the stand-in>`.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [miniflare, file, url] = process.argv.slice(2)
const { Miniflare } = createRequire(miniflare)('miniflare')
const worker = new Miniflare({ modules: true, script: readFileSync(file, 'utf8'), compatibilityDate: '2026-01-01' })
try {
  const answer = await worker.dispatchFetch(`http://worker.localhost/?url=${encodeURIComponent(url)}`)
  console.log(await answer.text())
} finally {
  await worker.dispose()
}
