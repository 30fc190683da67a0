import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { givenCertificate } from '../testing/certificate.ts'
import { givenServer, told } from '../testing/peers.ts'
import { prepareHead, type PreparedHead } from './head.ts'
import { openOrigin, type Origin, type OriginOptions } from './origin.ts'

// Tests the client against Node's own HTTP/2 server, which is built on nghttp2 and checks frames and headers strictly.
vi.setConfig({ testTimeout: 120_000 })

let server: Http2SecureServer
let certificate: ReturnType<typeof givenCertificate>
let head: PreparedHead
let port: number
const origins: Origin[] = []
const sessions = new Set<ServerHttp2Session>()
const complaints: string[] = []

async function listen(serve: (stream: ServerHttp2Stream, headers: Record<string, unknown>, body: Buffer) => void, settings = {}) {
  server = createSecureServer({
    cert: certificate.pem,
    key: readFileSync(certificate.privateKeyPath),
    settings,
    strictFieldWhitespaceValidation: true,
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', (error) => complaints.push(String(error)))
  })
  server.on('sessionError', (error) => complaints.push(String(error)))
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', (error) => complaints.push(String(error)))
    stream.on('end', () => serve(stream, headers, Buffer.concat(chunks)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ;({ port } = server.address() as AddressInfo)
  head = prepareHead({
    authority: `localhost:${port}`,
    fields: [
      ['apns-topic', 'org.example.app'],
      ['authorization', `bearer ${'t'.repeat(300)}`],
    ],
  })
}
const open = (more: Partial<OriginOptions> = {}): Origin => {
  const origin = openOrigin({ host: 'localhost', port, ca: certificate.pem, ...more })
  origins.push(origin)
  return origin
}
beforeEach(() => {
  certificate = givenCertificate()
})
afterEach(async () => {
  await Promise.all(origins.splice(0).map((origin) => origin.close()))
  for (const session of sessions) session.destroy()
  server.close()
  certificate.remove()
  if (complaints.length > 0) throw new Error(complaints.splice(0).join(', '))
})

test.each([
  ['its usual settings', {}],
  ['no header table', { headerTableSize: 0 }],
  ['a header table of 200 bytes', { headerTableSize: 200 }],
  ['windows of 100 bytes and 7 streams', { initialWindowSize: 100, maxConcurrentStreams: 7 }],
  ['large frames and windows', { maxFrameSize: 1_000_000, initialWindowSize: 10_000_000 }],
])('with %s, 2,000 requests to Node’s own server each get their own answer', async (_, settings) => {
  await listen((stream, headers, body) => {
    stream.respond({ ':status': 200, 'apns-id': String(headers['apns-id']), 'x-topic': String(headers['apns-topic']) })
    stream.end(Buffer.concat([Buffer.from(`${String(headers[':path'])} `), body]))
  }, settings)
  const origin = open({ limits: { connections: 1 } })
  const replies = await Promise.all(
    Array.from({ length: 2_000 }, (_, n) =>
      origin.request({
        head,
        path: `/3/device/${n}`,
        more: [['apns-id', `id-${n}`]],
        body: n % 2 ? `body ${n} ${'é'.repeat(n % 300)}` : Buffer.from(`b${n}`),
        timeoutMs: 100_000,
      }),
    ),
  )
  for (const [n, reply] of replies.entries()) {
    const body = n % 2 ? `body ${n} ${'é'.repeat(n % 300)}` : `b${n}`
    if (reply.is !== 'answered') throw new Error(`${n}: ${told(reply)}`)
    expect([reply.status, reply.headers.get('apns-id'), reply.headers.get('x-topic'), reply.body.toString()]).toEqual([
      200,
      `id-${n}`,
      'org.example.app',
      `/3/device/${n} ${body}`,
    ])
  }
})

test('every request says how many bytes its body has: a text, a buffer, none, and one whose headers need CONTINUATION', async () => {
  await listen((stream, headers) => {
    stream.respond({ ':status': 200, 'x-length': String(headers['content-length']) })
    stream.end()
  })
  const origin = open()
  const bodies = ['é'.repeat(7), Buffer.alloc(70_000), '', 'x']
  const replies = await Promise.all(
    bodies.map((body, n) =>
      origin.request({ head, path: '/', more: n === 3 ? [['x-long', 'v'.repeat(18_000)]] : [], body, timeoutMs: 100_000 }),
    ),
  )
  expect(replies.map((reply) => (reply.is === 'answered' ? reply.headers.get('x-length') : told(reply)))).toEqual(['14', '70000', '0', '1'])
})

test('large bodies and headers arrive whole both ways, also with CONTINUATION, interim answers and trailers', async () => {
  await listen((stream, headers, body) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>' })
    stream.respond(
      { ':status': 200, 'x-length': String(body.length), 'x-sum': String(headers['x-long']).length, 'x-back': 'b'.repeat(12_000) },
      { waitForTrailers: true },
    )
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-trailer': 'yes' }))
    stream.end(Buffer.alloc(60_000, 7))
  })
  const origin = open()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      origin.request({ head, path: '/', more: [['x-long', 'v'.repeat(18_000 + n)]], body: Buffer.alloc(300_000 + n), timeoutMs: 100_000 }),
    ),
  )
  for (const [n, reply] of replies.entries()) {
    if (reply.is !== 'answered') throw new Error(told(reply))
    expect([reply.headers.get('x-length'), reply.headers.get('x-sum'), reply.headers.get('x-back')?.length]).toEqual([
      String(300_000 + n),
      String(18_000 + n),
      12_000,
    ])
    expect(reply.body.equals(Buffer.alloc(60_000, 7))).toBe(true)
    expect(reply.headers.has('x-trailer')).toBe(false)
  }
})

test('when a server changes its settings during 3,000 requests, each is answered or refused, none served twice', async () => {
  let served = 0
  await listen(
    (stream) => {
      const tables = [0, 100, 4_096, 65_536]
      const windows = [40, 70_000, 300, 65_535]
      if (served++ % 50 === 0)
        stream.session?.settings({
          headerTableSize: tables[served % 4] ?? 0,
          initialWindowSize: windows[(served >> 1) % 4] ?? 0,
          maxConcurrentStreams: 1 + (served % 40),
        })
      stream.respond({ ':status': 200 })
      stream.end('ok')
    },
    { maxConcurrentStreams: 20 },
  )
  const origin = open({ limits: { connections: 1 } })
  const replies = await Promise.all(
    Array.from({ length: 3_000 }, (_, n) =>
      origin.request({ head, path: `/${n}`, body: Buffer.alloc(200 + (n % 400)), timeoutMs: 100_000 }),
    ),
  )
  const refused = replies.filter((reply) => reply.is === 'refused').length
  // When the server lowers SETTINGS_MAX_CONCURRENT_STREAMS, it may refuse requests that are on their way. Nothing else may happen to them.
  expect(replies.filter((reply) => reply.is === 'answered').length + refused).toBe(3_000)
  expect(served).toBe(3_000 - refused)
})

test('when Node’s server ends connections gracefully, each request is answered or refused, and no refused one was served', async () => {
  let served = 0
  await listen((stream) => {
    served++
    if (served % 100 === 0) stream.session?.close()
    setTimeout(() => {
      if (stream.destroyed) return
      stream.respond({ ':status': 200 })
      stream.end()
    }, 2)
  })
  const origin = open({ limits: { connections: 1 } })
  let answered = 0
  const replies = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const mine: string[] = []
      for (let n = 0; n < 20; n++) {
        const reply = await origin.request({ head, path: '/', body: 'x', timeoutMs: 100_000 })
        mine.push(told(reply))
        if (reply.is === 'answered') answered++
      }
      return mine
    }),
  )
  const others = replies.flat().filter((reply) => reply !== '200')
  expect(others.filter((reply) => !reply.startsWith('refused'))).toEqual([])
  expect(answered).toBe(served)
})

test('an answer that comes before the end of the request’s body counts', async () => {
  await listen(() => undefined)
  server.removeAllListeners('stream')
  server.on('stream', (stream) => {
    stream.respond({ ':status': 413 })
    stream.end('too large')
    stream.on('error', () => undefined)
  })
  const reply = await open().request({ head, path: '/', body: Buffer.alloc(1_000_000), timeoutMs: 100_000 })
  expect(told(reply)).toBe('413')
})

test('10,000 requests over one connection to Herald’s own server each get their own answer', async () => {
  const peer = await givenServer({
    serve: ({ path, headers, body }) => ({
      status: 200,
      headers: { 'apns-id': headers['apns-id'] ?? '' },
      body: `${path} ${body.toString()}`,
    }),
  })
  try {
    const origin = peer.open({ limits: { connections: 1 } })
    const replies = await Promise.all(
      Array.from({ length: 10_000 }, (_, n) =>
        origin.request({ head: peer.head, path: `/${n}`, more: [['apns-id', `id-${n}`]], body: `body ${n}`, timeoutMs: 100_000 }),
      ),
    )
    expect(
      replies.map((reply) => (reply.is === 'answered' ? `${reply.headers.get('apns-id')} ${reply.body.toString()}` : told(reply))),
    ).toEqual(Array.from({ length: 10_000 }, (_, n) => `id-${n} /${n} body ${n}`))
    expect(origin.stats.handshakes).toBe(1)
  } finally {
    await peer.stop()
  }
  await listen(() => undefined)
})
