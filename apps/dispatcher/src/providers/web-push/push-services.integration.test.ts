import { createServer, type AddressInfo, type LookupFunction, type Socket } from 'node:net'
import { prepareHead } from '@herald/http2/client/head'
import type { Reply } from '@herald/http2/client/reply'
import { guardBy, type Guard, type Resolve } from '@herald/service/guarded-connect'
import { openWayOut } from '@herald/service/way-out'
import { atEnd } from '@herald/testing/at-end'
import { startProxy } from '@herald/testing/proxy'
import { until } from '@herald/testing/until'
import { describe, expect, test } from 'vitest'
import { startPushService, startStrangePushService } from '../../testing/start-push-service.ts'
import { openPushServices } from './push-services.ts'

const lookup: LookupFunction = (_, { all }, done) => {
  if (all) done(null, [{ address: '127.0.0.1', family: 4 }])
  else done(null, '127.0.0.1', 4)
}
const open: Guard = { lookup, checkAddress: () => undefined }
const { checkAddress } = guardBy(() => Promise.reject(new Error('this is never asked')))

const size = { most: 100, connections: 1, http1Connections: 16, idleHttp1Connections: 1, idleMs: 60_000, connectingPerApp: 16 }

function given(guard: Guard, change: Partial<typeof size> = {}) {
  const sizes = { named: { ...size, ...change }, others: { ...size, ...change } }
  const services = openPushServices(guard, sizes)
  atEnd(() => services.close())
  const send = (service: { port: number }, path = '/201', host = 'localhost', appId = 'app'): Promise<Reply> => {
    const url = new URL(`https://${host}:${service.port}${path}`)
    const about = { isNamed: false, isTrial: false }
    const head = prepareHead({ authority: url.host, fields: [['content-encoding', 'aes128gcm']] })
    return services.send({ appId, url, head, more: [['ttl', '60']], body: Buffer.from('body'), timeoutMs: 10_000 }, about)
  }
  return { services, send }
}
const told = (reply: Reply) => (reply.is === 'answered' ? String(reply.status) : `${reply.is} ${reply.reason}`)

describe.each(['h2', 'http/1.1'] as const)('a push service that offers %s', (protocol) => {
  // spec: providers/endpoint-guard
  test('a push service outside the public internet gets no byte, whether by name or by IP address', async () => {
    const service = await startPushService(protocol)
    const { send } = given({ lookup, checkAddress })
    expect(told(await send(service))).toBe('unsent EBLOCKED')
    expect(told(await send(service, '/201', '127.0.0.1'))).toBe('unsent EBLOCKED')
    await until(() => service.connections() === 2 && service.open === 0, { what: 'both connections were ended' })
    expect(service.bytes()).toBe(0)
  })

  // spec: providers/endpoint-guard
  test('the address of a push service is checked at every connection, not only at the first', async () => {
    const service = await startPushService(protocol)
    const checked: string[] = []
    const { send } = given({ lookup, checkAddress: (address) => (checked.push(address) > 1 ? 'EBLOCKED' : undefined) })
    expect(told(await send(service))).toBe('201')
    const before = service.bytes()
    expect(before).toBeGreaterThan(0)
    service.stop()
    const again = await startPushService(protocol, service.port)
    await until(async () => told(await send(again)) === 'unsent EBLOCKED', { what: 'the second connection is refused' })
    expect(new Set(checked)).toEqual(new Set(['127.0.0.1']))
    expect(again.bytes()).toBe(0)
  })

  test('pushes that come one by one go over one connection', async () => {
    const service = await startPushService(protocol)
    const { send } = given(open)
    for (let no = 0; no < 20; no++) expect(told(await send(service))).toBe('201')
    expect([service.connections(), service.handshakes()]).toEqual([1, 1])
  })

  test('the connection to a push service is closed when unused for a while, and the next push opens another', async () => {
    const service = await startPushService(protocol)
    const { services, send } = given(open, { idleMs: 100 })
    expect(told(await send(service))).toBe('201')
    expect(services.open).toBe(1)
    await until(() => services.open === 0 && service.open === 0, { what: 'the connection was closed' })
    expect(told(await send(service))).toBe('201')
  })

  test('pushes are unsent while their push service cannot be reached, and are sent when it is back', async () => {
    const service = await startPushService(protocol)
    service.stop()
    const { send } = given(open)
    expect(told(await send(service))).toBe('unsent ECONNREFUSED')
    const back = await startPushService(protocol, service.port)
    await until(async () => told(await send(back)) === '201', { what: 'it is reached again' })
  })
})

test('over HTTP/1.1 the first connection carries the first push, and a hundred pushes at once use at most 16 connections', async () => {
  const service = await startPushService('http/1.1')
  const { send } = given(open)
  expect(told(await send(service))).toBe('201')
  expect(service.handshakes()).toBe(1)
  const replies = await Promise.all(Array.from({ length: 100 }, () => send(service)))
  expect(new Set(replies.map(told))).toEqual(new Set(['201']))
  expect(service.handshakes()).toBeLessThanOrEqual(16)
})

test('a push service that learns HTTP/2 gets the next push over HTTP/2', async () => {
  const old = await startPushService('http/1.1')
  const { send } = given(open)
  expect(told(await send(old))).toBe('201')
  old.stop()
  const learned = await startPushService('h2', old.port)
  await until(async () => told(await send(learned)) === '201', { what: 'it is reached again' })
  expect(learned.arrived.map(({ version }) => version)).toEqual(['2.0'])
})

test('an answer over HTTP/1.1 with over 64 KiB is read by its status, and the next push goes out', async () => {
  const service = await startPushService('http/1.1')
  const { send } = given(open)
  expect(told(await send(service, '/201/long'))).toBe('201')
  expect(told(await send(service))).toBe('201')
})

// spec: running/proxy, running/proxy-guard
test.each(['h2', 'http/1.1'] as const)(
  'a push service that offers %s is reached through the proxy, but none at a private address',
  async (protocol) => {
    const service = await startPushService(protocol)
    const proxy = await startProxy()
    const resolve: Resolve = async (host) => {
      if (host === 'inside.push.test') return [{ address: '10.0.0.1', family: 4 }]
      throw Object.assign(new Error('no name server knows outside names'), { code: 'ENOTFOUND' })
    }
    const settings = { HTTPS_PROXY: `http://user:secret@127.0.0.1:${proxy.port}`, NO_PROXY: '' }
    const { send } = given({ ...guardBy(resolve), ...openWayOut(settings, { resolve, allowPrivate: false }) })
    for (let no = 0; no < 3; no += 1) expect(told(await send(service, '/201', 'a.push.test'))).toBe('201')
    expect(proxy.asked).toEqual([`a.push.test:${service.port}`])
    for (const host of ['inside.push.test', '10.0.0.1']) expect(told(await send(service, '/201', host))).toBe('unsent EBLOCKED')
    proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n'
    expect(told(await send(service, '/201', 'b.push.test'))).toBe('unsent PROXY_403')
    expect(proxy.asked).toHaveLength(2)
  },
)

const switched = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
// spec: providers/no-answer
test.each<[what: string, sent: string, then: 'stays' | 'closes' | 'breaks', told: string]>([
  ['a 101', switched, 'stays', 'NO_HTTP_ANSWER'],
  ['a 101 and a close', switched, 'closes', 'NO_HTTP_ANSWER'],
  ['a 101 and a break', switched, 'breaks', 'NO_HTTP_ANSWER'],
  ['a 101 and frames of another protocol', `${switched}\x81\x05hello`, 'stays', 'NO_HTTP_ANSWER'],
  ['a 101 to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'stays', 'NO_HTTP_ANSWER'],
  ['the status 099', 'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n', 'stays', 'NO_HTTP_ANSWER'],
  ['a banner of SSH', 'SSH-2.0-OpenSSH_9.9\r\n', 'closes', 'HPE_INVALID_CONSTANT'],
  ['half a head', 'HTTP/1.1 201 Created\r\ncontent-le', 'closes', 'ECONNRESET'],
  ['half a head and a break', 'HTTP/1.1 201 Created\r\ncontent-le', 'breaks', 'ECONNRESET'],
  ['40 kB of headers', 'HTTP/1.1 201 Created\r\n' + `${'x-much: '.padEnd(1_000, 'x')}\r\n`.repeat(40), 'stays', 'HPE_HEADER_OVERFLOW'],
  ['nothing', '', 'closes', 'ECONNRESET'],
])('a push whose push service sends %s has no answer', async (_, sent, then, reason) => {
  const { send } = given(open)
  const service = await startStrangePushService(sent, then)
  for (let no = 0; no < 2; no += 1) expect(await send(service)).toEqual({ is: 'unanswered', why: 'broken', reason })
})

// spec: providers/odd-fields
test.each([
  ['a blank after a value', 'x: a \r\n'],
  ['a name in capitals', 'X-A: a\r\n'],
  ['a control character in a value', 'x: a\x01b\r\n'],
  ['a NUL in a value', 'x: a\0b\r\n'],
  ['a blank in a name', 'x y: a\r\n'],
  ['a blank after a name', 'x : a\r\n'],
  ['an empty name', ': a\r\n'],
  ['a line without a colon', 'garbage\r\n'],
  ['a value on two lines', 'x: a\r\n b\r\n'],
  ['a lone CR', 'x: a\rb\r\n'],
  ['a lone LF', 'x: a\n'],
  ['a length that is no number', 'content-length: 1e1\r\n'],
  ['two lengths', 'content-length: 7\r\n'],
  ['an unknown transfer coding', 'transfer-encoding: other\r\n'],
  ['an offer of another protocol', 'connection: upgrade\r\nupgrade: h2c\r\n'],
])('over HTTP/1.1 an answer with %s counts, and its other fields are read', async (_, line) => {
  const { send } = given(open)
  const service = await startStrangePushService(`HTTP/1.1 429 Slow\r\n${line}content-length: 0\r\nRetry-After: 7\r\n\r\n`)
  const reply = await send(service)
  expect(told(reply)).toBe('429')
  expect(reply.is === 'answered' && reply.headers.get('retry-after')).toBe('7')
})

test('with too many push services the longest unused is closed, but none with a push on its way', async () => {
  const service = await startPushService('h2')
  const { services, send } = given(open, { most: 2 })
  const sendTo = async (...names: string[]) => {
    const before = service.handshakes()
    expect((await Promise.all(names.map((name) => send(service, '/201', `${name}.push.test`)))).map(told)).toEqual(names.map(() => '201'))
    return service.handshakes() - before
  }
  expect(await sendTo('a')).toBe(1)
  expect(await sendTo('b')).toBe(1)
  expect(await sendTo('a')).toBe(0)
  expect(await sendTo('c')).toBe(1)
  expect(services.open).toBe(2)
  expect(await sendTo('a')).toBe(0)
  expect(await sendTo('b')).toBe(1)
  // There are more push services than may stay open, and all of them have a push on their way.
  expect(await sendTo('d', 'e', 'f', 'g')).toBe(4)
})

test('an app connects to 16 known push services at once; unfinished handshakes hold up no other app', async () => {
  const good = await startPushService('h2')
  const sockets = new Set<Socket>()
  const mute = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening))
  atEnd(() => mute.close())
  const { port } = mute.address() as AddressInfo
  const { services, send } = given(open)
  const replies = Promise.all(Array.from({ length: 60 }, (_, no) => send({ port }, '/201', `${no}.push.test`)))
  await until(() => sockets.size === 16, { what: '16 connections are being made' })
  expect(told(await send(good, '/201', 'localhost', 'another app'))).toBe('201')
  expect(sockets.size).toBe(16)
  await services.close()
  expect(new Set((await replies).map(told))).toEqual(new Set(['unsent closed']))
})
