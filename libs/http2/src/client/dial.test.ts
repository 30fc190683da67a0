import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { givenCertificate } from '../testing/certificate.ts'
import { givenServer, givenTlsServer, told, until, type TlsPeer } from '../testing/peers.ts'
import { openOrigin, type Origin, type OriginEvent } from './origin.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

const ok = () => ({ status: 200, headers: {}, body: '' })

async function givenOk(...[serve, protocols, more]: Partial<Parameters<typeof givenTlsServer>>): Promise<TlsPeer> {
  const peer = serve ? await givenTlsServer(serve, protocols, more) : await givenServer({ serve: ok })
  cleanUps.push(peer.stop)
  return peer
}
const send = (peer: Pick<TlsPeer, 'head'>, origin: Origin) => origin.request({ head: peer.head, path: '/', body: '', timeoutMs: 20_000 })

/** Starts a TCP server without TLS that counts connections and bytes. */
async function givenTcpServer(serve: (socket: Socket) => void = () => undefined) {
  let bytes = 0
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, bytes: () => bytes, connections: () => connections, sockets }
}

test('when the server’s certificate is not trusted or is for another name, a request is unsent', async () => {
  const peer = await givenOk()
  expect(told(await send(peer, peer.open({ ca: undefined })))).toBe('unsent DEPTH_ZERO_SELF_SIGNED_CERT')
  const other = givenCertificate()
  cleanUps.push(other.remove)
  expect(told(await send(peer, peer.open({ ca: other.pem })))).toMatch(/^unsent /)
  expect(told(await send(peer, peer.open({ servername: 'example.com' })))).toBe('unsent ERR_TLS_CERT_ALTNAME_INVALID')
  // The certificate is made for the IP address too.
  expect(told(await send(peer, peer.open({ host: '127.0.0.1' })))).toBe('200')
  expect(told(await send(peer, peer.open({ host: '127.0.0.1', servername: 'localhost', ca: [peer.certificate.pem] })))).toBe('200')
})

test('the client refuses TLS 1.1 and a cipher suite without authenticated encryption', async () => {
  const old = await givenOk(() => undefined, ['h2'], { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  expect(told(await send(old, old.open()))).toMatch(/^unsent /)
  const cbc = await givenOk(() => undefined, ['h2'], { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' })
  expect(told(await send(cbc, cbc.open()))).toMatch(/^unsent /)
})

test('a server without HTTP/2 gets no request; when the client offered HTTP/1.1, the caller gets the connection after one handshake', async () => {
  let handshakes = 0
  const heard: string[] = []
  const peer = await givenOk(
    (socket) => {
      handshakes++
      socket.on('data', (bytes: Buffer) => heard.push(bytes.toString()))
    },
    ['http/1.1'],
  )
  expect(told(await send(peer, peer.open()))).toMatch(/^unsent (NO_HTTP2|ERR_SSL_\w+|ECONNRESET|closed)$/)
  const before = handshakes
  let given: TLSSocket | undefined
  const origin = peer.open({ offerHttp1: true, onHttp1: (socket) => (given = socket) })
  expect((await Promise.all([send(peer, origin), send(peer, origin)])).map(told)).toEqual(['unsent HTTP_1_1', 'unsent HTTP_1_1'])
  expect(told(await send(peer, origin))).toBe('unsent HTTP_1_1')
  expect(given?.alpnProtocol).toBe('http/1.1')
  given?.write('GET / HTTP/1.1\r\n\r\n')
  await until(() => heard.join('') === 'GET / HTTP/1.1\r\n\r\n', 'the connection can be used')
  expect(handshakes - before).toBe(1)
  const closing = peer.open({ offerHttp1: true })
  expect(told(await send(peer, closing))).toBe('unsent HTTP_1_1')
})

test('an address that the guard refuses gets no byte on any connection', async () => {
  const tcp = await givenTcpServer()
  const peer = await givenOk()
  const asked: string[] = []
  const origin = openOrigin({
    host: 'localhost',
    port: tcp.port,
    limits: { backoffMs: 1 },
    checkAddress: (address) => {
      asked.push(address)
      return 'blocked_address'
    },
  })
  cleanUps.push(origin.close)
  for (let n = 0; n < 3; n++) expect(told(await send(peer, origin))).toBe('unsent blocked_address')
  await until(() => tcp.connections() === 3, 'TCP was connected three times')
  expect(asked).toEqual(Array(3).fill('127.0.0.1'))
  expect(tcp.bytes()).toBe(0)
  const allowed = peer.open({ checkAddress: (address) => (address === '127.0.0.1' ? undefined : 'other') })
  expect(told(await send(peer, allowed))).toBe('200')
})

test('the guard is asked again at every new connection', async () => {
  const peer = await givenOk()
  let asked = 0
  const origin = peer.open({ checkAddress: () => (++asked > 1 ? 'blocked_address' : undefined), limits: { requestsPerConnection: 2 } })
  expect((await Promise.all([send(peer, origin), send(peer, origin)])).map(told)).toEqual(['200', '200'])
  expect(told(await send(peer, origin))).toBe('unsent blocked_address')
})

test('the client looks names up and connects with the functions that its caller gives it', async () => {
  const peer = await givenOk()
  const names: string[] = []
  const looked = peer.open({
    host: 'push.example',
    servername: 'localhost',
    lookup: (name, options, done) => {
      names.push(name)
      if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }])
      else done(null, '127.0.0.1', 4)
    },
  })
  expect(told(await send(peer, looked))).toBe('200')
  expect(names).toEqual(['push.example'])
  const failing = peer.open({
    host: 'push.example',
    lookup: (_, __, done) => done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '', 4),
  })
  expect(told(await send(peer, failing))).toBe('unsent ENOTFOUND')
  const made = peer.open({ host: 'push.example', servername: 'localhost', port: 1, connect: () => connect(peer.port, '127.0.0.1') })
  expect(told(await send(peer, made))).toBe('200')
})

test('a connection that the caller has made is checked like any other', async () => {
  const peer = await givenOk()
  const ready = async () => {
    const socket = connect(peer.port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const [first, second] = [await ready(), await ready()]
  const refusing = peer.open({
    connect: () => (first.destroyed ? second : first),
    checkAddress: () => 'blocked_address',
    limits: { backoffMs: 1 },
  })
  expect(told(await send(peer, refusing))).toBe('unsent blocked_address')
  expect(told(await send(peer, refusing))).toBe('unsent blocked_address')
  const third = await ready()
  expect(told(await send(peer, peer.open({ connect: () => third })))).toBe('200')
})

test('the second and the third connection resume an earlier TLS session', async () => {
  const peer = await givenOk()
  const events: OriginEvent[] = []
  const origin = peer.open({ limits: { requestsPerConnection: 3 }, onEvent: (event) => events.push(event) })
  for (let n = 0; n < 9; n++) expect(told(await send(peer, origin))).toBe('200')
  expect(origin.stats).toMatchObject({ handshakes: 3, resumed: 2 })
  expect(events.flatMap((event) => (event.is === 'connected' ? [event.isResumed] : []))).toEqual([false, true, true])
})

test('while a server is away requests are unsent and pauses grow to a limit; later it gets requests again', async () => {
  const tcp = await givenTcpServer((socket) => socket.destroy())
  const peer = await givenOk()
  let port = tcp.port
  const events: OriginEvent[] = []
  const origin = peer.open({
    connect: () => connect(port, '127.0.0.1'),
    limits: { backoffMs: 20, longestBackoffMs: 200 },
    onEvent: (event) => events.push(event),
  })
  for (let n = 0; n < 6; n++) expect(told(await send(peer, origin))).toMatch(/^unsent /)
  expect(tcp.connections()).toBe(6)
  const pauses = events.flatMap((event) => (event.is === 'unreachable' ? [event.retryInMs] : []))
  for (const [n, pause] of pauses.entries()) {
    const most = Math.min(200, 20 * 2 ** n)
    expect(pause).toBeGreaterThanOrEqual(most / 2)
    expect(pause).toBeLessThanOrEqual(most)
  }
  port = peer.port
  expect(told(await send(peer, origin))).toBe('200')
})

test('when a server refuses the connection, the request is unsent, with the system’s error code as the reason', async () => {
  const peer = await givenOk()
  const origin = peer.open({ port: 1 })
  expect(told(await send(peer, origin))).toBe('unsent ECONNREFUSED')
})

test('a server that sends nothing after TCP or the TLS handshake is given up at the time limit', async () => {
  const tcp = await givenTcpServer()
  const peer = await givenOk()
  const origin = peer.open({ port: tcp.port, limits: { connectMs: 200 } })
  expect(told(await send(peer, origin))).toBe('unsent CONNECT_TIMEOUT')
  // This server does the TLS handshake, but sends no SETTINGS.
  const silent = await givenOk((socket) => socket.resume(), ['h2'])
  expect(told(await send(silent, silent.open({ limits: { connectMs: 500 } })))).toMatch(/^unsent (SETTINGS_TIMEOUT|CONNECT_TIMEOUT)$/)
})

test('closing the client ends its attempt to connect', async () => {
  const tcp = await givenTcpServer()
  const peer = await givenOk()
  const origin = peer.open({ port: tcp.port })
  const reply = send(peer, origin)
  await until(() => tcp.connections() === 1, 'TCP is connected')
  await origin.close()
  expect(told(await reply)).toBe('unsent closed')
  await until(() => [...tcp.sockets].every((socket) => socket.destroyed || socket.readableEnded), 'it is closed')
})
