import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { givenSimulator, givenVapidKey, makeJwt, post, seconds, type Answered } from '../testing/simulator.ts'
import { decryptPush } from './decrypt.ts'

type WebDevice = { id: string; endpoint: string; keys: { p256dh: string; auth: string } }

let simulator: Awaited<ReturnType<typeof givenSimulator>>
let session: ClientHttp2Session
let device: WebDevice
let stranger: WebDevice

const server = givenVapidKey()
const otherServer = givenVapidKey()
const plain = { title: 'Hello', body: 'You', data: { msgId: 'message-1' } }

function encrypt({ keys }: WebDevice, text: string): Buffer {
  const [publicKey, auth, salt] = [Buffer.from(keys.p256dh, 'base64url'), Buffer.from(keys.auth, 'base64url'), randomBytes(16)]
  const ecdh = createECDH('prime256v1')
  const own = ecdh.generateKeys()
  const input = hkdfSync('sha256', ecdh.computeSecret(publicKey), auth, Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, own]), 32)
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', Buffer.from(input), salt, info, length))
  const cipher = createCipheriv('aes-128-gcm', derive('Content-Encoding: aes128gcm\0', 16), derive('Content-Encoding: nonce\0', 12))
  const sealed = Buffer.concat([cipher.update(text), cipher.update(Buffer.from([2])), cipher.final()])
  return Buffer.concat([salt, Buffer.from([0, 0, 16, 0, 65]), own, sealed, cipher.getAuthTag()])
}

const vapid = (claims = {}, by = server) =>
  `vapid t=${makeJwt('ES256', by.privateKey, { aud: simulator.addresses.webPush, exp: seconds(3600), sub: 'mailto:a@example.com', ...claims })}, k=${by.text}`
const pathOf = ({ endpoint }: WebDevice) => new URL(endpoint).pathname

function send(
  changes: Record<string, string | undefined> = {},
  body: Buffer = encrypt(device, JSON.stringify(plain)),
  path = pathOf(device),
): Promise<Answered> {
  const headers = { authorization: vapid(), ttl: '60', 'content-encoding': 'aes128gcm', ...changes }
  return post(session, path, Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)), body)
}

beforeAll(async () => {
  simulator = await givenSimulator()
  const made = await simulator.ask<{ devices: [WebDevice, WebDevice] }>('POST', '/devices', {
    platform: 'web',
    count: 2,
    applicationServerKey: server.text,
  })
  ;[device, stranger] = made.devices
  session = simulator.session(simulator.addresses.webPush)
})
afterAll(() => simulator.stop())
beforeEach(() => simulator.ask('POST', '/reset'))

test('the simulator decrypts the example of RFC 8291 appendix A', () => {
  const keys = {
    publicKey: Buffer.from('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4', 'base64url'),
    privateKey: Buffer.from('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url'),
    ecdh: undefined,
  }
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'
  const opened = decryptPush(keys, Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url'), Buffer.from(body, 'base64url'))
  expect(opened?.toString()).toBe('When I grow up, I want to be a watermelon')
})

test('the push service accepts a push and answers its location, and the simulator records the push decrypted', async () => {
  const body = encrypt(device, JSON.stringify(plain))
  const answer = await send({ topic: 'news', urgency: 'high' }, body)
  expect(answer).toMatchObject({
    status: 201,
    headers: { ttl: '60', location: expect.stringContaining(`${simulator.addresses.webPush}/message/`) },
  })
  const expected = {
    deviceId: device.id,
    payload: plain,
    msgId: 'message-1',
    bytes: body.length,
    headers: { ttl: '60', topic: 'news', urgency: 'high' },
  }
  // The pushes are read twice, since a push that was decrypted once must stay readable.
  expect(await simulator.ask('GET', '/pushes')).toMatchObject({ pushes: [expected] })
  expect(await simulator.ask('GET', '/pushes')).toMatchObject({ pushes: [expected] })
})

test('the summary decrypts unread web pushes and counts copies among them, unless asked not to', async () => {
  await send()
  await send()
  expect(await simulator.ask('GET', '/summary?open=false')).toMatchObject({ copies: 0, unread: 2 })
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { web: 2 }, copies: 1, unread: 0, undecryptable: 0 })
})

test('a push for the keys of another device is in the record with an error', async () => {
  expect((await send({}, encrypt(stranger, 'x'))).status).toBe(201)
  expect(await simulator.ask('GET', '/pushes')).toMatchObject({ pushes: [{ payload: null, error: expect.stringContaining('decrypt') }] })
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ undecryptable: 1 })
})

test('devices that are made after an application server key was set demand that key', async () => {
  await simulator.ask('POST', '/accounts', { kind: 'web-push', publicKey: otherServer.text })
  const [fresh] = (await simulator.ask<{ devices: [WebDevice] }>('POST', '/devices', { platform: 'web' })).devices
  expect((await send({}, encrypt(fresh, 'x'), pathOf(fresh))).status).toBe(403)
  expect((await send({ authorization: vapid({}, otherServer) }, encrypt(fresh, 'x'), pathOf(fresh))).status).toBe(201)
})

test('the push service accepts a push without a body', async () => {
  expect((await send({ 'content-encoding': undefined }, Buffer.alloc(0))).status).toBe(201)
  expect(await simulator.ask('GET', '/pushes')).toMatchObject({ pushes: [{ payload: null, bytes: 0 }] })
})

test('a browser of another host has that host in its endpoint, and a fault for the host concerns it alone', async () => {
  const host = 'wns2-par02p.notify.windows.com'
  const wanted = { platform: 'web', applicationServerKey: server.text, host }
  const [other] = (await simulator.ask<{ devices: [WebDevice] }>('POST', '/devices', wanted)).devices
  const origin = new URL(other.endpoint).origin
  expect(origin).toBe(`https://${host}:${new URL(simulator.addresses.webPush).port}`)
  const toOther = () =>
    send({ authorization: vapid({ aud: origin }), ':authority': new URL(origin).host }, encrypt(other, 'x'), pathOf(other))
  expect(await toOther()).toMatchObject({ status: 201, headers: { location: expect.stringContaining(`${origin}/message/`) } })
  expect((await send({}, encrypt(other, 'x'), pathOf(other))).status).toBe(403)

  const answer = 'web throttled, Windows, without a wait'
  await simulator.ask('PUT', '/faults', { service: 'web-push', answer, only: { host: '*.notify.windows.com' } })
  expect((await toOther()).status).toBe(406)
  expect((await send()).status).toBe(201)
})

test('Chrome keeps four topics for a browser that is off, and every push without a topic', async () => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'offline' })
  for (const topic of ['a', 'b', 'c', 'd', 'e', undefined, undefined]) await send({ topic })
  await send({ ttl: '0' })
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'ok' })
  const { pushes } = await simulator.ask<{ pushes: { headers: { topic?: string } }[] }>('GET', `/devices/${device.id}/kept`)
  expect(pushes.map(({ headers }) => headers.topic)).toEqual(['b', 'c', 'd', 'e', undefined, undefined])
})

const rows: [status: number, what: string, send: () => Promise<Answered>][] = [
  [401, 'no authorization', () => send({ authorization: undefined })],
  [401, 'another scheme', () => send({ authorization: 'Bearer abc' })],
  [401, 'a malformed token', () => send({ authorization: `vapid t=abc, k=${server.text}` })],
  [403, "another server's key", () => send({ authorization: vapid({}, otherServer) })],
  [403, "another server's signature", () => send({ authorization: vapid({}, { ...otherServer, text: server.text }) })],
  [403, 'another audience', () => send({ authorization: vapid({ aud: 'https://push.example.com' }) })],
  [403, 'an expired token', () => send({ authorization: vapid({ exp: seconds(-1) }) })],
  [403, 'a token for two days', () => send({ authorization: vapid({ exp: seconds(172_800) }) })],
  [403, 'no subject', () => send({ authorization: vapid({ sub: undefined }) })],
  [400, 'no TTL', () => send({ ttl: undefined })],
  [400, 'a TTL that is no number', () => send({ ttl: '1h' })],
  [400, 'a topic of 33 characters', () => send({ topic: 't'.repeat(33) })],
  [400, 'a topic of other characters', () => send({ topic: 'a/b' })],
  [400, 'an unknown urgency', () => send({ urgency: 'now' })],
  [400, 'no encoding', () => send({ 'content-encoding': undefined })],
  [415, 'the old encoding', () => send({ 'content-encoding': 'aesgcm' })],
  [400, 'a body that is not encrypted', () => send({}, Buffer.from('{"title":"Hello"}'))],
  [413, 'a body of 4097 bytes', () => send({}, Buffer.alloc(4097))],
  [404, 'an unknown subscription', () => send({}, Buffer.alloc(0), '/push/nobody')],
]

test.each(rows)('the push service refuses a push with status %i: %s', async (status, _, refused) => {
  expect((await refused()).status).toBe(status)
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { total: 0 } })
})

test.each([
  ['dead', 410],
  ['bad_token', 404],
  ['rate_limited', 429],
  ['failing', 500],
  ['unavailable', 503],
  ['sender_mismatch', 403],
])('a push to a device with the behaviour %s is answered %i with the retry-after that was set', async (answer, status) => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer, times: 1, retryAfterSeconds: 4 })
  expect(await send()).toMatchObject({ status, headers: { 'retry-after': '4' } })
})
