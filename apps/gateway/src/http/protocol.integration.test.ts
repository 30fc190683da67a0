import { connect } from 'node:net'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { askRaw } from '../testing/ask.ts'
import { expectRefused } from '../testing/expect-refused.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'
import { routes } from './routes.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const app = await gateway.givenApp()
const secret = { authorization: `Bearer ${app.secretKey}` }
const send = '/v1/notifications'
const json = { 'content-type': 'application/json' }

test.each([
  '/v1/notifications/',
  '//v1/notifications',
  '/v1//notifications',
  '/V1/notifications',
  '/v1/Notifications',
  '/v1/%6eotifications',
  '/v1/./notifications',
  '/v1/x/../notifications',
  '/v1/%2e%2e/v1/notifications',
  '/v1/notifications%00',
  '/v1/notifications;a=b',
  '/v1/campaigns/%E0%A4%A/stats',
  '/v1/campaigns/%ff/stats',
  '/v1/campaigns/%2f/stats',
  '/v1/campaigns//stats',
  '/v1/admin/apps/%00',
  '/v1/admin/apps/..%2f..%2fhealth',
  '/health/',
  '/HEALTH',
  '/%',
  '*',
])('the path %s, which is malformed or not spelt as a route is, is refused with 401, 404 or 405', async (path) => {
  for (const key of [app.secretKey, adminToken]) {
    const get = await gateway.ask({ path, headers: { authorization: `Bearer ${key}` } })
    const post = await gateway.ask({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${key}`, ...json },
      raw: '{"target":{"all":true},"silent":true}',
    })
    for (const told of [get, post]) {
      expectRefused(told, path)
      expect([401, 404, 405]).toContain(told.status)
    }
  }
})

// spec: limits/strict
test('a request to send with a query, which that route does not take, is refused', async () => {
  for (const query of ['a=1', 'a=%00&a=2', '__proto__=1', '%']) {
    const told = await gateway.ask({
      method: 'POST',
      path: `${send}?${query}`,
      headers: secret,
      body: { target: { all: true }, silent: true },
    })
    expectRefused(told, query)
    expect([query, told.status]).toEqual([query, 422])
  }
})

// spec: limits/methods
test('a known path with another method is refused with 405, and the answer says which methods are allowed', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS', 'PROPFIND']) {
    const told = await gateway.ask({ method, path: send, headers: secret })
    expect(told).toMatchObject({ status: 405, headers: { allow: 'POST' }, body: { error: { code: 'method_not_allowed' } } })
  }
  expect(await gateway.ask({ method: 'HEAD', path: '/health' })).toMatchObject({ status: 200, text: '' })
})

// spec: limits/slow-requests
test('a request whose body never ends is answered 408, and the gateway goes on, also after a short one', async () => {
  const head = `POST ${send} HTTP/1.1\r\nhost: x\r\nauthorization: ${secret.authorization}\r\ncontent-type: application/json\r\n`
  const cut = connect(gateway.port, '127.0.0.1', () => cut.end(`${head}content-length: 100\r\n\r\n{"target"`))
  cut.on('error', () => undefined)
  const stalled = await askRaw(gateway.port, `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"tar\r\n`)

  expect(stalled).toMatch(/^HTTP\/1\.1 408 /)
  expect(stalled).toContain('"code":"request_timeout"')
  expect(await gateway.ask({ path: '/health' })).toMatchObject({ status: 200 })
})

// spec: limits/protocol-errors, limits/one-host
test.each([
  ['not HTTP', 'hello\r\n\r\n', 400],
  ['a bad method', 'G@T / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['two lengths', `POST ${send} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
  ['length and chunks', `POST ${send} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['a negative length', `POST ${send} HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n`, 400],
  [
    'a bad chunk',
    `POST ${send} HTTP/1.1\r\nhost: x\r\nauthorization: ${secret.authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    400,
  ],
  ['a header with a bare line feed', 'GET /health HTTP/1.1\r\nhost: x\r\na: b\nc\r\n\r\n', 400],
  ['two hosts', 'GET /health HTTP/1.1\r\nhost: a.example\r\nHost: b.example\r\n\r\n', 400],
  ['the same host twice', 'GET /health HTTP/1.1\r\nhost: a.example\r\nhost: a.example\r\n\r\n', 400],
  ['no host', 'GET /health HTTP/1.1\r\n\r\n', 400],
  ['another host in the request line', 'GET http://b.example/health HTTP/1.1\r\nhost: a.example\r\n\r\n', 400],
  ['huge headers', `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
])('a broken request is answered in the common shape of errors: %s', async (_, bytes, status) => {
  const answer = await askRaw(gateway.port, bytes)

  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
  expect(body).toMatchObject({ error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) } })
  expect(answer.toLowerCase()).toContain('x-request-id: ')
})

// spec: limits/one-host
test('a request whose line has the whole address is answered when its Host header has the same host', async () => {
  const answer = await askRaw(gateway.port, 'GET http://A.example/health HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

// spec: limits/request-id
test('an x-request-id comes back when it is safe, and is replaced when it is too long or unsafe', async () => {
  const idFor = async (given: string) =>
    (await gateway.ask({ path: '/health', headers: { 'x-request-id': given } })).headers['x-request-id']

  expect(await idFor('order-17.A')).toBe('order-17.A')
  for (const given of ['x'.repeat(129), 'a b', '"quoted"', '']) expect(await idFor(given)).toMatch(/^[0-9a-f-]{36}$/)
})

test('answers to known and unknown paths have the headers that protect browsers, and do not say which software runs here', async () => {
  for (const question of [
    { path: '/health' },
    { path: '/nowhere' },
    { method: 'POST', path: send, headers: secret, body: { target: { all: true }, silent: true } },
  ]) {
    const { headers } = await gateway.ask(question)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect([headers['x-powered-by'], headers['etag'], headers['server']]).toEqual([undefined, undefined, undefined])
  }
})

// spec: limits/origins
test('pages of any origin may call public-key and report routes and load the SDK, without credentials, nothing else', async () => {
  const origin = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
  for (const { method, path, key } of routes) {
    const open = key === 'public' || path.startsWith('/v1/e/') || path.startsWith('/v1/u/') || path.startsWith('/sdk/')
    const filled = path.replaceAll(/:\w+/g, () => newId())
    const preflight = await gateway.ask({ method: 'OPTIONS', path: filled, headers: origin })
    const actual = await gateway.ask({ method: method.toUpperCase(), path: filled, headers: origin })
    expect([path, preflight.status]).toEqual([path, open ? 204 : 405])
    expect([path, preflight.headers['access-control-allow-origin'], actual.headers['access-control-allow-origin']]).toEqual(
      open ? [path, '*', '*'] : [path, undefined, undefined],
    )
    expect([preflight.headers['access-control-allow-credentials'], actual.headers['access-control-allow-credentials']]).toEqual([
      undefined,
      undefined,
    ])
    expect(preflight.headers['access-control-allow-headers'] ?? '').not.toContain('authorization')
  }
})
