import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterAll, expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-gateway-pages-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const write = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), content)
}
const index = '<!doctype html><title>Herald</title><script type="module" src="/dashboard/assets/main-AbC123.js"></script>'
const script = 'export const title = "Herald"\n'.repeat(50)
write('dashboard/index.html', index)
write('dashboard/try-out-worker.js', `importScripts('/sdk/v1/worker.iife.js')`)
write('dashboard/.sources', 'hidden')
write('dashboard/assets/main-AbC123.js', script)
write('dashboard/assets/main-AbC123.js.br', brotliCompressSync(script))
write('dashboard/assets/main-AbC123.js.gz', gzipSync(script))
write('dashboard/assets/main-AbC123.css', 'body{margin:0}')
write('sdk/herald.iife.js', 'var Herald')
write('sdk/worker.iife.js', 'var Worker')
write('sdk/packages/newest.json', JSON.stringify({ web: 'web-9.9.9.tgz' }))
write('sdk/packages/web-9.9.9.tgz', gzipSync('a package'))
write('sdk/notes.html', '<p>no part of the SDK</p>')
write('guide/index.html', '<h1>Guides</h1>')
write('guide/webhooks.html', '<h1>Webhooks</h1>')
write('guide/search.json', '[]')
write('guide/llms.txt', 'All guides')
write('secret.txt', 'outside of every directory')
symlinkSync(join(directory, 'nowhere'), join(directory, 'dashboard/assets/broken.js'))

const addresses = { database: (await freshDatabase()).url('gateway'), nats: await freshNats() }
const set = (of: string) => ({
  DASHBOARD_DIR: join(directory, of, 'dashboard'),
  WEB_SDK_DIR: join(directory, of, 'sdk'),
  GUIDE_DIR: join(directory, of, 'guide'),
})
const gateway = await startGateway(addresses, set(''))
const unbuilt = await startGateway(addresses, set('unbuilt'))
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => gateway.ask({ method, path, headers })

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const trustedTypes = "; require-trusted-types-for 'script'; trusted-types herald-sw"

// spec: administration/dashboard-served
test.each(['/dashboard', '/dashboard/', '/dashboard/apps/671a2b3c4d5e6f7081920a06/log?code=token_dead', '/dashboard/a/b/c/d/e/f/g/h.i'])(
  '%s shows the dashboard, under a policy that blocks everything that the gateway does not serve',
  async (path) => {
    const told = await get(path, { accept: 'text/html' })
    expect([told.status, told.text]).toEqual([200, index])
    expect(told.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': policy + trustedTypes,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()') as string,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      etag: expect.stringMatching(/^"[\w-]{22}"$/) as string,
    })
    expect(told.headers).not.toHaveProperty('access-control-allow-origin')

    const again = await get(path, { 'if-none-match': `"other", W/${String(told.headers.etag)}` })
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', told.headers.etag])
    expect(again.headers['content-security-policy']).toBe(policy + trustedTypes)
    const head = await get(path, {}, 'HEAD')
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(Buffer.byteLength(index))])
  },
)

/** Reads the bytes of an answer as they were sent. */
const bytesOf = (
  path: string,
  acceptEncoding?: string,
): Promise<{ encoding: string | undefined; bytes: Buffer; etag: string | undefined }> =>
  new Promise((resolve, reject) => {
    const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }
    request({ host: '127.0.0.1', port: gateway.port, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts), etag: response.headers.etag }),
      )
    })
      .on('error', reject)
      .end()
  })

// spec: administration/dashboard-served
test('a file with a hash in its name may be cached for good, and is compressed when accepted', async () => {
  const path = '/dashboard/assets/main-AbC123.js'
  const { headers } = await get(path)
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  })
  const etags = new Set<string | undefined>()
  for (const [accepted, encoding, read] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    [undefined, undefined, (bytes: Buffer) => bytes],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['br;q=0, gzip;q=0.000', undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const sent = await bytesOf(path, accepted)
    expect([accepted, sent.encoding, read(sent.bytes).toString() === script]).toEqual([accepted, encoding, true])
    etags.add(sent.etag)
  }
  expect(etags.size).toBe(3)
  // The build did not compress this file, so it is answered as it is.
  expect((await bytesOf('/dashboard/assets/main-AbC123.css', 'br')).encoding).toBeUndefined()
})

// spec: administration/dashboard-served
test('the dashboard’s service worker is served without Trusted Types, which would keep it from loading its second file', async () => {
  const { status, headers } = await get('/dashboard/try-out-worker.js')
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/javascript; charset=utf-8', 'no-cache'])
  expect(headers['content-security-policy']).toBe(policy)
})

// spec: administration/files-only
test.each([
  '/dashboard/assets/../../secret.txt',
  '/dashboard/assets/%2e%2e/%2e%2e/secret.txt',
  '/dashboard/assets/..%2f..%2fsecret.txt',
  '/dashboard/assets/..%5c..%5csecret.txt',
  '/dashboard/assets/%2e%2e%2findex.html',
  '/dashboard/assets/main-AbC123.js%00.css',
  '/dashboard/assets/broken.js',
  '/dashboard/assets/',
  '/dashboard/assets/absent.js',
  '/dashboard/assets//main-AbC123.js',
  '/sdk/v1/../secret.txt',
  '/sdk/v1/%2e%2e%2fsecret.txt',
  '/sdk/v1/notes.html',
  '/sdk/v1/',
  '/sdk/v1/.sources',
  '/docs/guide/..%2fsecret.txt',
  '/docs/guide/%2e%2e/secret.txt',
  '/docs/guide/absent',
  '/docs/guide/.hidden',
])('%s is 404, because it is not the path of a file that the gateway serves', async (path) => {
  const told = await get(path)
  expect([path, told.status]).toEqual([path, 404])
  expect(told.text).not.toContain('outside')
})

// spec: administration/files-only
test('for hidden files of the dashboard’s directory and for files outside of it the answer is the dashboard itself', async () => {
  for (const path of ['/dashboard/.sources', '/dashboard/..%2fsecret.txt', '/dashboard/%2e%2e/secret.txt'])
    expect((await get(path)).text).toBe(index)
})

test('when a build replaces a page, browsers get the new page at once', async () => {
  expect((await get('/docs/guide/changing')).status).toBe(404)
  write('guide/changing.html', 'one')
  const first = await get('/docs/guide/changing')
  write('guide/changing.html', 'another')
  const second = await get('/docs/guide/changing')
  expect([first.text, second.text]).toEqual(['one', 'another'])
  expect(first.headers.etag).not.toBe(second.headers.etag)
})

// spec: administration/packages-served
test('a package has an address that never changes, and one without a version leads to the newest', async () => {
  const told = await get('/sdk/v1/web-9.9.9.tgz')
  expect([told.status, told.headers['content-type'], told.headers['cache-control']]).toEqual([
    200,
    'application/gzip',
    'public, max-age=31536000, immutable',
  ])
  const newest = await get('/sdk/v1/web.tgz')
  expect([newest.status, newest.headers.location, newest.headers['cache-control']]).toEqual([302, '/sdk/v1/web-9.9.9.tgz', 'no-cache'])
  for (const path of ['/sdk/v1/web-9.9.8.tgz', '/sdk/v1/node.tgz', '/sdk/v1/packages/newest.tgz', '/sdk/v1/constructor.tgz'])
    expect((await get(path)).status).toBe(404)
})

// spec: administration/web-sdk-served
test('web pages of any origin can load the web SDK and check it by its hashes', async () => {
  const told = await get('/sdk/v1/herald.iife.js', { origin: 'https://shop.example' })
  expect([told.status, told.text]).toEqual([200, 'var Herald'])
  expect(told.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=3600',
    etag: expect.any(String) as string,
  })
  expect((await get('/sdk/v1/herald.iife.js', { 'if-none-match': String(told.headers.etag) })).status).toBe(304)

  const hashOf = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`
  const integrity = await get('/sdk/v1/integrity.json')
  expect(integrity.headers['access-control-allow-origin']).toBe('*')
  expect(integrity.body).toEqual({ 'herald.iife.js': hashOf('var Herald'), 'worker.iife.js': hashOf('var Worker') })
})

// spec: administration/guides-served
test('a guide is served by its name, under the policy of the dashboard', async () => {
  const begin = await get('/docs/guide')
  expect([begin.status, begin.headers.location]).toEqual([308, '/docs/guide/'])
  expect((await get('/docs/guide/')).text).toBe('<h1>Guides</h1>')
  for (const path of ['/docs/guide/webhooks', '/docs/guide/webhooks.html']) {
    const { status, text, headers } = await get(path)
    expect([status, text, headers['content-security-policy']]).toEqual([200, '<h1>Webhooks</h1>', policy + trustedTypes])
  }
  expect((await get('/docs/guide/search.json')).status).toBe(200)
  expect(await get('/docs/llms.txt')).toMatchObject({
    status: 200,
    text: 'All guides',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
})

// spec: administration/dashboard-unbuilt
test('the dashboard and the guides say when they are not built, and what builds them', async () => {
  for (const path of ['/dashboard', '/dashboard/apps', '/docs/guide/', '/docs/guide/webhooks']) {
    const { status, text, headers } = await unbuilt.ask({ path })
    expect([path, status, headers['content-type']]).toEqual([path, 503, 'text/html; charset=utf-8'])
    expect(text).toContain('npm start')
  }
  expect((await unbuilt.ask({ path: '/dashboard' })).headers['refresh']).toBe('3')
  for (const path of ['/dashboard/assets/main.js', '/sdk/v1/herald.iife.js', '/sdk/v1/integrity.json', '/docs/llms.txt'])
    expect((await unbuilt.ask({ path })).status).toBe(404)
})

// spec: administration/welcome
test('the address `/` links to the dashboard and the documentation: as a page for browsers, as JSON for programs', async () => {
  const page = await get('/', { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' })
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, link]) => String(link))
  expect(links).toEqual(['/dashboard', '/docs/guide/', '/docs', '/openapi.json'])
  for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200])
  const [, style = ''] = /<style>([^]*)<\/style>/.exec(page.text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page.headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`)

  const told = await get('/')
  expect(told.body).toEqual({
    name: 'Herald',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
    dashboard: '/dashboard',
    docs: '/docs',
    guide: '/docs/guide/',
    openapi: '/openapi.json',
    health: '/health',
  })
  expect(told.headers['vary']).toBe('Accept')
})

// spec: administration/dashboard-served, administration/welcome
test('without an administration token there is no dashboard', async () => {
  const without = await startGateway(addresses, { ...set(''), ADMIN_TOKEN: '' })
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/apps', '/dashboard/assets/main-AbC123.js'])
    expect((await without.ask({ path })).status).toBe(404)
  expect((await without.ask({ path: '/' })).body).not.toHaveProperty('dashboard')
  expect((await without.ask({ path: '/', headers: { accept: 'text/html' } })).text).not.toContain('/dashboard')
  expect((await without.ask({ path: '/docs/guide/' })).status).toBe(200)
})
