import type { ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { givenSimulator, makeJwt, post, seconds } from '../testing/simulator.ts'

type Made = { devices: { id: string; token: string }[] }
type Headers = Record<string, string | undefined>

let simulator: Awaited<ReturnType<typeof givenSimulator>>
let session: ClientHttp2Session
let sandbox: ClientHttp2Session
let key: string
let otherTeamsKey: string
let good: string
let device: { id: string; token: string }
let sandboxDevice: { id: string; token: string }

const payload = JSON.stringify({ aps: { alert: { title: 'Hello', body: 'You' } }, herald: { msgId: 'message-1' } })
const silent = JSON.stringify({ aps: { 'content-available': 1 } })
const id = '11111111-2222-4333-8444-555555555555'
const token = (claims = {}, header = {}, by = key) =>
  `bearer ${makeJwt('ES256', by, { iss: 'TEAM', iat: seconds(), ...claims }, { kid: 'KEY', ...header })}`
const bare = (changes: Headers) => Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
const headersWith = (changes: Headers = {}) =>
  bare({
    authorization: good,
    'apns-id': id,
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    ...changes,
  })
const send = (changes: Headers = {}, body: string = payload, path = `/3/device/${device.token}`) =>
  post(session, path, headersWith(changes), body)

beforeAll(async () => {
  simulator = await givenSimulator()
  key = (
    await simulator.ask<{ privateKey: string }>('POST', '/accounts', {
      kind: 'apns',
      teamId: 'TEAM',
      keyId: 'KEY',
      bundleId: 'com.example.app',
    })
  ).privateKey
  await simulator.ask('POST', '/accounts', { kind: 'apns', teamId: 'TEAM', keyId: 'KEY', bundleId: 'com.example.app' })
  key = (
    await simulator.ask<{ privateKey: string }>('POST', '/accounts', {
      kind: 'apns',
      teamId: 'TEAM',
      keyId: 'KEY',
      bundleId: 'com.example.second',
    })
  ).privateKey
  otherTeamsKey = (
    await simulator.ask<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', teamId: 'OTHER', keyId: 'K2', bundleId: 'com.other' })
  ).privateKey
  good = token()
  ;[device] = (await simulator.ask<Made>('POST', '/devices', { platform: 'ios', bundleId: 'com.example.app' })).devices as [typeof device]
  ;[sandboxDevice] = (
    await simulator.ask<Made>('POST', '/devices', { platform: 'ios', bundleId: 'com.example.app', environment: 'sandbox' })
  ).devices as [typeof device]
  session = simulator.session(simulator.addresses.apns)
  sandbox = simulator.session(simulator.addresses.apnsSandbox)
})
afterAll(() => simulator.stop())
beforeEach(async () => {
  await simulator.ask('POST', '/reset')
  await simulator.ask('PUT', '/faults', { providerTokenUpdates: 100 })
})

test('APNs accepts a valid push and answers with its apns-id, and the simulator records its headers and payload', async () => {
  const answer = await send({ 'apns-expiration': '1999999999', 'apns-collapse-id': 'c'.repeat(64) })
  expect(answer).toMatchObject({ status: 200, body: '', headers: { 'apns-id': id } })
  const { pushes } = await simulator.ask<{ pushes: unknown[] }>('GET', '/pushes')
  expect(pushes).toEqual([
    {
      seq: 1,
      at: expect.any(Number),
      platform: 'ios',
      deviceId: device.id,
      environment: 'production',
      id,
      headers: { topic: 'com.example.app', pushType: 'alert', priority: '10', expiration: '1999999999', collapseId: 'c'.repeat(64) },
      payload: JSON.parse(payload),
      msgId: 'message-1',
      bytes: payload.length,
    },
  ])
})

test('APNs makes an apns-id for a push without one', async () => {
  expect((await send({ 'apns-id': undefined })).headers['apns-id']).toMatch(/^[\dA-F-]{36}$/)
})

test('APNs accepts a background push with priority 5 and content-available', async () => {
  const background = { 'apns-push-type': 'background', 'apns-priority': '5' }
  expect((await send(background, silent)).status).toBe(200)
})

test('a Live Activity is accepted under the topic of its app, and topic, push type and timestamp are recorded', async () => {
  const topic = 'com.example.app.push-type.liveactivity'
  const body = JSON.stringify({ aps: { timestamp: 1_770_000_000, event: 'update', 'content-state': {} } })
  expect((await send({ 'apns-push-type': 'liveactivity', 'apns-topic': topic }, body)).status).toBe(200)
  const { pushes } = await simulator.ask<{ pushes: unknown[] }>('GET', '/pushes')
  expect(pushes).toMatchObject([
    { headers: { topic, pushType: 'liveactivity' }, payload: { aps: { timestamp: 1_770_000_000 } }, msgId: null },
  ])
})

const rows: [reason: string, status: number, what: string, send: () => ReturnType<typeof send>][] = [
  ['MissingProviderToken', 403, 'no authorization', () => send({ authorization: undefined })],
  ['MissingProviderToken', 403, 'another scheme', () => send({ authorization: 'basic abc' })],
  ['InvalidProviderToken', 403, 'no JWT', () => send({ authorization: 'bearer abc' })],
  ['InvalidProviderToken', 403, 'an unknown team', () => send({ authorization: token({ iss: 'NOBODY' }) })],
  ['InvalidProviderToken', 403, 'an unknown key id', () => send({ authorization: token({}, { kid: 'NOKEY' }) })],
  ['InvalidProviderToken', 403, "another team's signature", () => send({ authorization: token({}, {}, otherTeamsKey) })],
  ['InvalidProviderToken', 403, 'a token from the future', () => send({ authorization: token({ iat: seconds(600) }) })],
  ['ExpiredProviderToken', 403, 'a token of 61 minutes', () => send({ authorization: token({ iat: seconds(-3660) }) })],
  ['MissingTopic', 400, 'no topic', () => send({ 'apns-topic': undefined })],
  ['BadTopic', 400, 'a topic that is no name', () => send({ 'apns-topic': 'com example' })],
  ['TopicDisallowed', 400, "another team's topic", () => send({ 'apns-topic': 'com.other' })],
  ['DeviceTokenNotForTopic', 400, 'another app of the team', () => send({ 'apns-topic': 'com.example.second' })],
  ['BadDeviceToken', 400, 'a token that is not hex', () => send({}, payload, '/3/device/xyz')],
  ['BadDeviceToken', 400, 'an unknown token', () => send({}, payload, `/3/device/${'a'.repeat(64)}`)],
  ['BadDeviceToken', 400, 'a sandbox device in production', () => send({}, payload, `/3/device/${sandboxDevice.token}`)],
  ['BadDeviceToken', 400, 'a production device in the sandbox', () => post(sandbox, `/3/device/${device.token}`, headersWith(), payload)],
  ['BadMessageId', 400, 'an apns-id that is no UUID', () => send({ 'apns-id': '1' })],
  ['InvalidPushType', 400, 'an unknown push type', () => send({ 'apns-push-type': 'loud' })],
  ['BadPriority', 400, 'priority 7', () => send({ 'apns-priority': '7' })],
  ['BadPriority', 400, 'a background push of priority 10', () => send({ 'apns-push-type': 'background' }, silent)],
  [
    'BadPriority',
    400,
    'a background push without priority',
    () => send({ 'apns-push-type': 'background', 'apns-priority': undefined }, silent),
  ],
  [
    'InvalidPushType',
    400,
    'a background push without content-available',
    () => send({ 'apns-push-type': 'background', 'apns-priority': '5' }),
  ],
  ['BadExpirationDate', 400, 'an expiration that is no number', () => send({ 'apns-expiration': 'tomorrow' })],
  ['BadCollapseId', 400, 'a collapse id of 65 bytes', () => send({ 'apns-collapse-id': 'c'.repeat(65) })],
  ['PayloadEmpty', 400, 'no payload', () => send({}, '')],
  ['PayloadEmpty', 400, 'a payload without aps', () => send({}, '{}')],
  ['PayloadTooLarge', 413, 'a payload of 4097 bytes', () => send({}, payload + ' '.repeat(4097 - payload.length))],
  ['BadPath', 404, 'another path', () => send({}, payload, '/2/device/abc')],
  [
    'MethodNotAllowed',
    405,
    'another method',
    () => post(session, `/3/device/${device.token}`, { ...headersWith(), ':method': 'PUT' }, payload),
  ],
]

test.each(rows)('APNs refuses a push with %s, %i, and the summary counts the refusal: %s', async (reason, status, _, refused) => {
  const answer = await refused()
  expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toEqual({ status, body: { reason } })
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { total: 0 }, rejected: { [`apns ${status} ${reason}`]: 1 } })
})

test('APNs accepts a payload of 4096 bytes', async () => {
  expect((await send({}, payload + ' '.repeat(4096 - payload.length))).status).toBe(200)
})

const behaviours: [behaviour: object, status: number, reason: string, headers: object][] = [
  [{ answer: 'dead' }, 410, 'Unregistered', {}],
  [{ answer: 'bad_token' }, 400, 'BadDeviceToken', {}],
  [{ answer: 'rate_limited', retryAfterSeconds: 7 }, 429, 'TooManyRequests', { 'retry-after': '7' }],
  [{ answer: 'failing' }, 500, 'InternalServerError', {}],
  [{ answer: 'unavailable', retryAfterSeconds: 3 }, 503, 'ServiceUnavailable', { 'retry-after': '3' }],
  [{ answer: 'sender_mismatch' }, 400, 'DeviceTokenNotForTopic', {}],
]

test.each(behaviours)('when a device is set to %j once, APNs answers %i %s and then 200', async (behaviour, status, reason, headers) => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { ...behaviour, times: 1 })
  const answer = await send()
  expect(answer).toMatchObject({ status, headers: { 'apns-id': id, ...headers } })
  const body = JSON.parse(answer.body) as { reason: string; timestamp?: number }
  expect(body.reason).toBe(reason)
  // For a dead device the answer says since when, in milliseconds.
  expect(typeof body.timestamp).toBe(status === 410 ? 'number' : 'undefined')
  expect((await send()).status).toBe(200)
})

test('the simulator counts a push that APNs accepts, also when APNs then breaks its answer off or answers 503', async () => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'reset_after_accept', times: 1 })
  await expect(send()).rejects.toThrow(/INTERNAL_ERROR/)
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'accepted_then_503', times: 1 })
  expect((await send()).status).toBe(503)
  await send()
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { ios: 3 }, copies: 2, distinctDevices: 1 })
})

test('when two provider tokens are allowed APNs refuses the third, and the first still works', async () => {
  await simulator.ask('POST', '/reset')
  await simulator.ask('PUT', '/faults', { providerTokenUpdates: 2 })
  const [first, second, third] = [token(), token({ iat: seconds(-1) }), token({ iat: seconds(-2) })]
  const statuses = []
  for (const authorization of [first, second, third, first]) statuses.push((await send({ authorization })).status)
  expect(statuses).toEqual([200, 200, 429, 200])
})

test('the summary says how many different provider tokens of each team were used: expired ones count, forged ones do not', async () => {
  const forged = token({}, {}, otherTeamsKey)
  const old = token({ iat: seconds(-3660) })
  const others = `bearer ${makeJwt('ES256', otherTeamsKey, { iss: 'OTHER', iat: seconds() }, { kid: 'K2' })}`
  for (const authorization of [good, good, forged, old, others]) await send({ authorization })
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ providerTokens: { TEAM: 2, OTHER: 1 } })
})

test('after a key is replaced, APNs refuses a token that the old key signed and that worked before', async () => {
  const account = { kind: 'apns', teamId: 'TEAM', keyId: 'ROTATED', bundleId: 'com.example.app' }
  const { privateKey } = await simulator.ask<{ privateKey: string }>('POST', '/accounts', account)
  const authorization = token({}, { kid: 'ROTATED' }, privateKey)
  expect((await send({ authorization })).status).toBe(200)
  await simulator.ask('POST', '/accounts', account)
  expect(JSON.parse((await send({ authorization })).body)).toEqual({ reason: 'InvalidProviderToken' })
})

test('during an outage APNs answers 503 or closes connections, as the fault says; afterwards it accepts pushes again', async () => {
  await simulator.ask('PUT', '/faults', { service: 'apns', outage: 503 })
  expect((await send()).status).toBe(503)
  await simulator.ask('PUT', '/faults', { service: 'apns', outage: 'refuse' })
  const cutOff = /no answer|socket|session|closed|ECONN/i
  await expect(send()).rejects.toThrow(cutOff)
  session = simulator.session(simulator.addresses.apns)
  await expect(send()).rejects.toThrow(cutOff)
  await simulator.ask('DELETE', '/faults')
  session = simulator.session(simulator.addresses.apns)
  expect((await send()).status).toBe(200)
})
