import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { guardedLookupBy, resolveByHostsFile, resolveByServers, type Resolve } from '@herald/service/guarded-connect'
import { openWayOut } from '@herald/service/way-out'
import { atEnd } from '@herald/testing/at-end'
import { startProxy } from '@herald/testing/proxy'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { startReceiver } from '../testing/receiver.ts'
import { openPost } from './post.ts'

const body = Buffer.from('{"id":"dlv_1","events":[]}')
const sign = () => ({ 'x-service-signature': 't=1,v1=0' })
/** Gives a function that posts to receivers on this machine: private addresses are allowed, as in development. */
const openLocal = (totalMs?: number) => {
  const opened = openPost({
    allowPrivate: true,
    lookup: guardedLookupBy(resolveByHostsFile(resolveByServers()), { allowPrivate: true }),
    ...(totalMs ? { totalMs } : {}),
  })
  atEnd(opened.close)
  return opened.post
}

/** Starts a listener that no connection may reach. */
async function startTrap(host: string): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  atEnd(() => void server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

test('a connection is used again; when the receiver has closed it a new one is tried within the attempt', async () => {
  const receiver = await startReceiver()
  const sockets = new Set<Socket>()
  receiver.server.on('secureConnection', (socket: Socket) => sockets.add(socket))
  const post = openLocal()
  await post(receiver.url, body, sign)
  await post(receiver.url, body, sign)
  expect(sockets.size).toBe(1)

  receiver.server.once('request', (request) => request.socket.destroy())
  expect(await post(receiver.url, body, sign)).toMatchObject({ status: 204, error: null })
})

// spec: webhooks/redirects
test('a redirect is a response like any other and is not followed', async () => {
  const elsewhere = await startReceiver()
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await startReceiver((_one, response) => response.writeHead(status, { location: elsewhere.url }).end())
    expect(await openLocal()(receiver.url, body, sign)).toMatchObject({ status })
  }
  expect(elsewhere.received).toEqual([])
})

// spec: webhooks/time-limit
test('a receiver that never responds, or sends headers byte by byte, is given up at the time limit', async () => {
  const silent = await startReceiver(() => undefined)
  const dripping = await startReceiver((_one, response) => {
    const timer = setInterval(() => response.socket?.write('x'), 20)
    response.on('close', () => clearInterval(timer))
    response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
  })
  for (const receiver of [silent, dripping]) {
    const closed = new Promise((resolve) => receiver.server.on('secureConnection', (socket: Socket) => socket.on('close', resolve)))
    expect(await openLocal(300)(receiver.url, body, sign)).toMatchObject({ status: null, error: 'timeout' })
    await closed
  }
})

// spec: webhooks/time-limit
test('a receiver that accepts a connection and never ends the TLS handshake is given up', async () => {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  expect(await openLocal(300)(`https://127.0.0.1:${port}/`, body, sign)).toMatchObject({ status: null, error: 'timeout' })
})

// spec: webhooks/time-limit
test('the reading of an endless response stops before the receiver has written 8 MB, and its status counts', async () => {
  let written = 0
  const receiver = await startReceiver((_one, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(16_384)
    const go = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', go)
    response.on('error', () => undefined)
    go()
  })
  expect(await openLocal()(receiver.url, body, sign)).toMatchObject({ status: 200, error: null })
  const after = written
  expect(after).toBeLessThan(8_000_000)
})

test('a response body that comes byte by byte is cut at the limit; its status and Retry-After count', async () => {
  const receiver = await startReceiver((_one, response) => {
    response.writeHead(503, { 'retry-after': '7' })
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })
  expect(await openLocal(300)(receiver.url, body, sign)).toMatchObject({ status: 503, error: null, retryAfterMs: 7_000 })
})

test('20 responses that would unpack to 50 MB cost under 100 MB of memory; the request asks for no compression', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const receiver = await startReceiver((_one, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const before = process.memoryUsage().rss
  for (let n = 0; n < 20; n += 1) expect(await openLocal()(receiver.url, body, sign)).toMatchObject({ status: 200 })
  expect(receiver.received[0]?.headers['accept-encoding']).toBe('identity')
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
})

/** What a receiver sends instead of a response. `then`: whether the connection stays open, is closed or breaks afterwards. */
const switched = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
const head = 'HTTP/1.1 200 OK\r\n'
const noResponses: [what: string, sent: string, then: 'stays' | 'closes' | 'breaks'][] = [
  ['a 101', switched, 'stays'],
  ['a 101 and a close', switched, 'closes'],
  ['a 101 and a break', switched, 'breaks'],
  ['a 101 and frames of another protocol', `${switched}\x81\x05hello`, 'stays'],
  ['a 101 to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'stays'],
  ['a 101 with a length', 'HTTP/1.1 101 Switching Protocols\r\ncontent-length: 5\r\n\r\nhello', 'stays'],
  ['a 103 and a 101', `HTTP/1.1 103 Early Hints\r\n\r\n${switched}`, 'stays'],
  ['a hundred 103', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(100), 'stays'],
  ['a hundred 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100), 'stays'],
  ['one 100 and a close', 'HTTP/1.1 100 Continue\r\n\r\n', 'closes'],
  ['the status 099', 'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n', 'stays'],
  ['the status 000', 'HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n', 'stays'],
  ['a banner of SSH', 'SSH-2.0-OpenSSH_9.9\r\n', 'closes'],
  ['bytes of HTTP/2', '\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64', 'stays'],
  ['bytes of nothing', '\x16\x03\x01\0\xff\0\0\n\n', 'stays'],
  ['a request', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', 'stays'],
  ['half a status line', 'HTTP/1.1 20', 'closes'],
  ['half a head', `${head}content-le`, 'closes'],
  ['half a head and a break', `${head}content-le`, 'breaks'],
  ['40 kB of headers', head + `${'x-much: '.padEnd(1_000, 'x')}\r\n`.repeat(40), 'stays'],
  ['a header with a NUL', `${head}x: a\0b\r\ncontent-length: 0\r\n\r\n`, 'stays'],
  ['two lengths', `${head}content-length: 0\r\ncontent-length: 5\r\n\r\n`, 'stays'],
  ['nothing', '', 'closes'],
]

// spec: webhooks/no-response
test.each(noResponses)(
  'a receiver that sends %s has not responded, and the next response of that receiver counts',
  async (_, sent, then) => {
    let isStrange = false
    const receiver = await startReceiver((_one, response) => {
      const { socket } = response
      if (!isStrange || socket === null) return response.writeHead(204).end()
      return socket.write(Buffer.from(sent, 'latin1'), () => {
        if (then === 'closes') socket.end()
        // Without the end that TLS has.
        else if (then === 'breaks') socket.destroy()
      })
    })
    const post = openLocal(5_000)
    // Once on a connection that was used before, and once on a new one.
    for (const before of [1, 0]) {
      for (let n = 0; n < before; n += 1) await post(receiver.url, body, sign)
      isStrange = true
      expect(await post(receiver.url, body, sign)).toMatchObject({ status: null, error: 'network_error', retryAfterMs: null })
      isStrange = false
    }
    expect(await post(receiver.url, body, sign)).toMatchObject({ status: 204, error: null })
  },
)

// spec: webhooks/no-response
test('a receiver that sends interim responses one by one and never a response is given up at the time limit', async () => {
  const receiver = await startReceiver((_one, response) => {
    const timer = setInterval(() => response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'), 20)
    response.on('close', () => clearInterval(timer))
  })
  expect(await openLocal(300)(receiver.url, body, sign)).toMatchObject({ status: null, error: 'timeout' })
})

// spec: webhooks/no-response
test.each([
  ['fewer bytes than its length', 'content-length: 9\r\n\r\nhalf', 'closes'],
  ['a broken chunk', 'transfer-encoding: chunked\r\n\r\nzz\r\n', 'stays'],
  ['broken trailers', 'transfer-encoding: chunked\r\n\r\n0\r\n\0:\r\n\r\n', 'stays'],
  ['a second response', 'content-length: 0\r\n\r\nHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n', 'stays'],
  ['bytes after its end', 'content-length: 0\r\n\r\ngarbage', 'stays'],
  ['bytes that claim to be packed', 'content-encoding: gzip\r\ncontent-length: 4\r\n\r\nhalf', 'stays'],
  ['an offer to switch protocols', 'connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 0\r\n\r\n', 'stays'],
])('a response counts by its status also when its body has %s', async (_, sent, then) => {
  const receiver = await startReceiver((_one, response) => {
    response.socket?.write(`HTTP/1.1 202 Accepted\r\n${sent}`)
    if (then === 'closes') response.socket?.end()
  })
  expect(await openLocal(5_000)(receiver.url, body, sign)).toMatchObject({ status: 202, error: null })
})

test('a hundred posts to three hostile receivers cost under 250 MB of memory; a silent one keeps no connection', async () => {
  const chunk = Buffer.alloc(16_384)
  const receivers = await Promise.all([
    startReceiver(() => undefined),
    startReceiver((_one, response) => {
      response.on('error', () => undefined).writeHead(200)
      const go = () => {
        while (!response.destroyed && response.write(chunk)) continue
      }
      response.on('drain', go)
      go()
    }),
    startReceiver((_one, response) => response.socket?.destroy()),
  ])
  const post = openLocal(500)
  const before = process.memoryUsage().rss
  const answers = await Promise.all(receivers.flatMap(({ url }) => Array.from({ length: 100 }, () => post(url, body, sign))))
  expect(answers).toHaveLength(300)
  expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000)
  await until(async () => {
    const counts = await Promise.all(
      receivers.slice(0, 1).map(({ server }) => new Promise<number>((done) => server.getConnections((_error, n) => done(n)))),
    )
    return counts.every((count) => count === 0)
  })
})

const guarded = (resolve: Resolve) => {
  const opened = openPost({ allowPrivate: false, lookup: guardedLookupBy(resolve), totalMs: 2_000 })
  atEnd(opened.close)
  return opened.post
}
const resolveTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

test.each([
  ['loopback', ['127.0.0.1']],
  ['loopback IPv6', ['::1']],
  ['mapped loopback', ['::ffff:127.0.0.1']],
  ['a private address', ['10.0.0.1']],
  ['the metadata address of a cloud', ['169.254.169.254']],
  ['a public address and a private one', ['93.184.215.14', '127.0.0.1']],
  ['nothing', []],
])('a post to a name that resolves to %s is blocked, and a listener on 127.0.0.1 gets no connection', async (_what, addresses) => {
  const trap = await startTrap('127.0.0.1')
  expect(await guarded(resolveTo(...addresses))(`https://receiver.example:${trap.port}/`, body, sign)).toMatchObject({
    error: 'blocked_address',
  })
  expect(trap.connections()).toBe(0)
})

// spec: webhooks/url-at-send
test('a name is looked up at every attempt, and refused each time that it leads to a private address', async () => {
  const trap = await startTrap('127.0.0.1')
  let asked = 0
  const rebinding: Resolve = async () => {
    asked += 1
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const post = guarded(rebinding)
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(await post(`https://receiver.example:${trap.port}/`, body, sign)).toMatchObject({ error: 'blocked_address' })
    expect(asked).toBe(attempt)
  }
  expect(trap.connections()).toBe(0)
})

// spec: webhooks/url-at-send
test('nothing is posted to an address that is not public, even when the look-up has let it pass', async () => {
  const receiver = await startReceiver()
  // This look-up has no guard, as if the guard had a hole. The address of the connection is checked once more.
  const hole = openPost({ allowPrivate: false, lookup: guardedLookupBy(resolveTo('127.0.0.1'), { allowPrivate: true }), totalMs: 2_000 })
  atEnd(hole.close)
  expect(await hole.post(`https://receiver.example:${receiver.port}/`, body, sign)).toMatchObject({ error: 'blocked_address' })
  expect(receiver.received).toEqual([])
})

// spec: running/proxy
test('through a proxy each attempt reaches the receiver by name, over a reused connection, also after it was closed', async () => {
  const proxy = await startProxy()
  const receiver = await startReceiver()
  const wayOut = openWayOut({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '' }, { resolve: resolveTo(), allowPrivate: false })
  const opened = openPost({ allowPrivate: false, lookup: guardedLookupBy(resolveTo()), wayOut, totalMs: 5_000 })
  atEnd(opened.close)
  const url = `https://hook.test:${receiver.port}/hook`
  for (let n = 0; n < 2; n += 1) expect(await opened.post(url, body, sign)).toMatchObject({ status: 204, error: null })
  expect(proxy.asked).toEqual([`hook.test:${receiver.port}`])
  receiver.server.once('request', (request) => request.socket.destroy())
  expect(await opened.post(url, body, sign)).toMatchObject({ status: 204, error: null })
  expect(proxy.asked).toHaveLength(2)
  expect(receiver.at('/hook')).toHaveLength(4)

  proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n'
  expect(await opened.post(`https://other.test:${receiver.port}/`, body, sign)).toMatchObject({ status: null, error: 'network_error' })
  for (const inside of ['https://10.0.0.1/', 'https://[fd00::1]/', 'https://localhost/'])
    expect(await opened.post(inside, body, sign)).toMatchObject({ error: 'blocked_address' })
  expect(proxy.asked).toHaveLength(3)
})

// spec: running/proxy
test('a proxy that never answers is given up when the time to connect is over', async () => {
  const proxy = await startProxy()
  proxy.answer = ''
  const wayOut = openWayOut({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '' })
  const opened = openPost({ allowPrivate: true, lookup: guardedLookupBy(resolveTo()), wayOut, totalMs: 300 })
  atEnd(opened.close)
  expect(await opened.post('https://hook.test/', body, sign)).toMatchObject({ status: null, error: 'timeout' })
})

// spec: running/no-proxy
test('a receiver that NO_PROXY names is reached without the proxy, and its address is checked', async () => {
  const proxy = await startProxy()
  const receiver = await startReceiver()
  const wayOut = openWayOut({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'hook.test' })
  const post = (allowPrivate: boolean) => {
    const opened = openPost({ allowPrivate, lookup: guardedLookupBy(resolveTo('127.0.0.1'), { allowPrivate }), wayOut, totalMs: 5_000 })
    atEnd(opened.close)
    return opened.post(`https://hook.test:${receiver.port}/`, body, sign)
  }
  expect(await post(true)).toMatchObject({ status: 204 })
  expect(await post(false)).toMatchObject({ error: 'blocked_address' })
  expect(proxy.asked).toEqual([])
})
