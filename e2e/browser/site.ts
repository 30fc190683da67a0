import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { atEnd } from '@herald/testing/at-end'

/** A web site of a customer of Herald. Its pages, its worker and the SDK's files have one `origin`. */
export type Site = {
  origin: string
  /** The files of the site by path. A test may change them. */
  files: Map<string, string>
}

const root = resolve(import.meta.dirname, '../..')

/** Builds the SDK as it is published and gives its files by name. */
export function buildWebSdk(): Map<string, string> {
  const out = mkdtempSync(join(tmpdir(), 'herald-sdk-'))
  try {
    execFileSync(process.execPath, [join(root, 'sdks/web/build.ts'), out], { stdio: ['ignore', 'ignore', 'inherit'] })
    return new Map(
      ['herald.iife.js', 'worker.iife.js', 'herald.mjs', 'worker.mjs'].map((name) => [name, readFileSync(join(out, name), 'utf8')]),
    )
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<script src="/herald/herald.iife.js"></script></head><body><h1>Shop</h1><button id="go">Subscribe</button></body></html>`

/** Starts a site until the end of the test file. Every path without a file, apart from those of scripts, shows the same page. */
export async function startSite(files: Record<string, string> = {}): Promise<Site> {
  const site: Site = { origin: '', files: new Map(Object.entries(files)) }
  for (const [name, text] of buildWebSdk()) site.files.set(`/herald/${name}`, text)
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const file = site.files.get(path)
    const isScript = /\.m?js$/.test(path)
    if (file === undefined && isScript) return void response.writeHead(404).end()
    response.writeHead(200, {
      'content-type': isScript ? 'text/javascript' : 'text/html',
      'cache-control': 'no-cache',
      // The policy is strict, because the SDK must work with it: the only exception that the SDK needs is the address of Herald.
      'content-security-policy': "default-src 'none'; script-src 'self'; img-src data:; connect-src http: https:; worker-src 'self'",
    })
    response.end(file ?? page)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  site.origin = `http://localhost:${(server.address() as AddressInfo).port}`
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return site
}
