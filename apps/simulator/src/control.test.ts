import type { ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { givenSimulator, makeJwt, post, seconds } from './testing/simulator.ts'
import { join } from 'node:path'

type Made = { devices: { id: string; platform: string; token: string; endpoint: string; keys: { p256dh: string; auth: string } }[] }
type Page = { pushes: { seq: number; deviceId: string; msgId: string | null; payload: unknown }[] }

let simulator: Awaited<ReturnType<typeof givenSimulator>>
let session: ClientHttp2Session
let authorization: string

const account = { kind: 'apns', teamId: 'TEAM', keyId: 'KEY', bundleId: 'com.example.app' }
const send = (token: string, msgId: string, by = session) =>
  post(
    by,
    `/3/device/${token}`,
    { authorization, 'apns-topic': 'com.example.app' },
    JSON.stringify({ aps: { alert: 'Hello' }, herald: { msgId } }),
  )
const authorizationBy = (privateKey: string) => `bearer ${makeJwt('ES256', privateKey, { iss: 'TEAM', iat: seconds() }, { kid: 'KEY' })}`

beforeAll(async () => {
  simulator = await givenSimulator()
  authorization = authorizationBy((await simulator.ask<{ privateKey: string }>('POST', '/accounts', account)).privateKey)
  session = simulator.session(simulator.addresses.apns)
})
afterAll(() => simulator.stop())
beforeEach(() => simulator.ask('POST', '/reset'))

test('made phones have tokens, made browsers endpoints and keys; 300 browsers share a pool of four key pairs', async () => {
  await simulator.ask('POST', '/accounts', { kind: 'fcm', projectId: 'demo' })
  const made = async (wanted: object) => (await simulator.ask<Made>('POST', '/devices', wanted)).devices
  const ios = await made({ platform: 'ios', count: 3 })
  const android = await made({ platform: 'android', count: 2 })
  const web = await made({ platform: 'web', count: 300, keyPool: 4 })
  expect(ios.map(({ token }) => token)).toEqual(Array(3).fill(expect.stringMatching(/^[\da-f]{64}$/)))
  expect(android.map(({ token }) => token)).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]+:APA91b[\w-]{100,}$/)))
  const installed = await made({ platform: 'android', count: 20, installationIds: true })
  expect(installed.map(({ token }) => token)).toEqual(Array(20).fill(expect.stringMatching(/^[c-f][\w-]{21}$/)))
  expect(new Set(web.map(({ endpoint }) => endpoint)).size).toBe(300)
  expect(new Set(web.map(({ keys }) => keys.p256dh)).size).toBe(4)
  expect(Buffer.from(web[0]?.keys.p256dh ?? '', 'base64url')).toHaveLength(65)
  expect(Buffer.from(web[0]?.keys.auth ?? '', 'base64url')).toHaveLength(16)
})

test('the control API lists pushes page by page, by platform and device, and starts anew after a reset', async () => {
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'ios', count: 3 })
  for (let n = 0; n < 9; n++) await send(devices[n % 3]?.token ?? '', `message-${n}`)
  const page = await simulator.ask<Page>('GET', '/pushes?after=2&limit=3')
  expect(page.pushes.map(({ seq, msgId }) => [seq, msgId])).toEqual([3, 4, 5].map((seq) => [seq, `message-${seq - 1}`]))
  const own = await simulator.ask<Page>('GET', `/pushes?deviceId=${devices[1]?.id}`)
  expect(own.pushes.map(({ seq }) => seq)).toEqual([2, 5, 8])
  expect((await simulator.ask<Page>('GET', '/pushes?platform=web')).pushes).toEqual([])
  await simulator.ask('POST', '/reset')
  expect((await simulator.ask<Page>('GET', '/pushes')).pushes).toEqual([])
  await send(devices[0]?.token ?? '', 'later')
  expect((await simulator.ask<Page>('GET', '/pushes')).pushes).toMatchObject([{ seq: 1, msgId: 'later' }])
})

test('the summary says how many devices got pushes, how many copies, and the first and last moment', async () => {
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'ios', count: 2 })
  const [first, second] = devices.map(({ token }) => token) as [string, string]
  const before = Date.now()
  for (const [token, msgId] of [
    [first, 'a'],
    [first, 'b'],
    [second, 'a'],
    [first, 'a'],
    [first, 'a'],
  ] as const)
    await send(token, msgId)
  const summary = await simulator.ask<Record<string, number>>('GET', '/summary')
  expect(summary).toMatchObject({ accepted: { ios: 5, android: 0, web: 0, total: 5 }, distinctDevices: 2, copies: 2 })
  expect(summary['rejected']).toEqual({})
  expect(summary['firstAcceptedAt']).toBeGreaterThanOrEqual(before - 1)
  expect(summary['lastAcceptedAt']).toBeGreaterThan(summary['firstAcceptedAt'] ?? Infinity)
})

test('the summary counts pushes, devices and copies also when the payloads of pushes are not stored', async () => {
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'ios', count: 2 })
  await simulator.ask('PUT', '/faults', { record: 'counts' })
  for (const msgId of ['a', 'b', 'a']) await send(devices[0]?.token ?? '', msgId)
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { ios: 3 }, distinctDevices: 1, copies: 1 })
  expect(await simulator.ask('GET', '/pushes')).toMatchObject({ pushes: [{ payload: null }, { payload: null }, { payload: null }] })
})

test('one call changes the behaviour of many devices, chosen by their ids or by platform', async () => {
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'ios', count: 20, behaviour: { answer: 'failing' } })
  const tokens = devices.map(({ token }) => token)
  expect((await send(tokens[0] ?? '', 'a')).status).toBe(500)
  expect(await simulator.ask('PUT', '/devices/behaviour', { ids: devices.slice(0, 10).map(({ id }) => id), answer: 'dead' })).toEqual({
    changed: 10,
  })
  const statuses = await Promise.all(tokens.map(async (token) => (await send(token, 'a')).status))
  expect(statuses).toEqual([...Array<number>(10).fill(410), ...Array<number>(10).fill(500)])
  await simulator.ask('PUT', '/devices/behaviour', { platform: 'ios', answer: 'ok' })
  expect((await send(tokens[0] ?? '', 'a')).status).toBe(200)
})

test('a push to a slow device at a slow provider is recorded, and answered only after both delays', async () => {
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'ios', behaviour: { answer: 'slow', delayMs: 40 } })
  await simulator.ask('PUT', '/faults', { service: 'apns', latencyMs: 30 })
  const start = performance.now()
  const answered = send(devices[0]?.token ?? '', 'a')
  await expect.poll(async () => (await simulator.ask<Page>('GET', '/pushes')).pushes, { interval: 5 }).toHaveLength(1)
  expect((await answered).status).toBe(200)
  expect(performance.now() - start).toBeGreaterThanOrEqual(69)
})

test('APNs keeps the last push alone for a phone that is off, and none that expires at once', async () => {
  const [phone] = (await simulator.ask<Made>('POST', '/devices', { platform: 'ios', behaviour: { answer: 'offline' } })).devices
  for (const msgId of ['a', 'b']) expect((await send(phone?.token ?? '', msgId)).status).toBe(200)
  const now = { authorization, 'apns-topic': 'com.example.app', 'apns-expiration': '0' }
  await post(session, `/3/device/${phone?.token}`, now, '{"aps":{}}')
  expect(await simulator.ask('GET', `/devices/${phone?.id}/kept`)).toMatchObject({ pushes: [{ msgId: 'b' }] })
})

test('a fault that is narrowed to a key leaves requests with other keys alone', async () => {
  const [phone] = (await simulator.ask<Made>('POST', '/devices', { platform: 'ios' })).devices
  const fault = { service: 'apns', answer: 'apns ServiceUnavailable' }
  await simulator.ask('PUT', '/faults', { ...fault, only: { key: 'ANOTHER' } })
  expect((await send(phone?.token ?? '', 'a')).status).toBe(200)
  await simulator.ask('PUT', '/faults', { ...fault, only: { key: 'KEY' } })
  expect((await send(phone?.token ?? '', 'a')).status).toBe(503)
})

const mistakes: [method: string, path: string, body: object, field: string][] = [
  ['POST', '/accounts', { kind: 'apns', teamId: 'T', keyId: 'K' }, 'bundleId'],
  ['POST', '/accounts', { kind: 'sms' }, 'kind'],
  ['POST', '/devices', { platform: 'pager' }, 'platform'],
  ['POST', '/devices', { platform: 'ios', bundleId: 'com.nobody' }, 'bundleId'],
  ['POST', '/devices', { platform: 'android', projectId: 'nobody' }, 'projectId'],
  ['POST', '/devices', { platform: 'web', count: 0 }, 'count'],
  ['PUT', '/devices/ios-999999/behaviour', { answer: 'ok' }, 'id'],
  ['PUT', '/devices/behaviour', { answer: 'tired' }, 'answer'],
  ['PUT', '/faults', { outage: 'sometimes' }, 'outage'],
  ['PUT', '/faults', { refuseStreamShare: 2 }, 'refuseStreamShare'],
  ['POST', '/crowd', { baseUrl: 'here', appKey: 'k' }, 'baseUrl'],
  ['PUT', '/crowd/reports', { baseUrl: 'http://localhost', delivered: 2, opened: 0 }, 'delivered'],
]

test.each(mistakes)('the control API refuses %s %s with %j and names the field', async (method, path, body, field) => {
  const answer = await simulator.control(method, path, body)
  expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(new RegExp(`^${field}: `)) } })
})

test('with a state file, accounts and devices are still there after a restart', async () => {
  const statePath = join(simulator.certificate.directory, 'state.jsonl')
  const first = await givenSimulator({ statePath })
  const own = authorizationBy((await first.ask<{ privateKey: string }>('POST', '/accounts', account)).privateKey)
  const [ios] = (await first.ask<Made>('POST', '/devices', { platform: 'ios', environment: 'sandbox' })).devices
  const [web] = (await first.ask<Made>('POST', '/devices', { platform: 'web' })).devices
  first.stop()

  const second = await givenSimulator({ statePath })
  const headers = { authorization: own, 'apns-topic': 'com.example.app' }
  const answer = await post(second.session(second.addresses.apnsSandbox), `/3/device/${ios?.token}`, headers, '{"aps":{}}')
  const known = await second.control('PUT', `/devices/${web?.id}/behaviour`, { answer: 'dead' })
  second.stop()
  expect([answer.status, known.status]).toEqual([200, 200])
})
