// Compares Herald's transports with the providers' libraries: what a server gets from both, and how both read its answers.
import { readFileSync } from 'node:fs'
import { readPrivateKey } from '@herald/auth/provider-token'
import { openSealer } from '@herald/auth/seal'
import type { FrozenSend } from '@herald/contracts/batch'
import { encodePush } from '@herald/contracts/payload'
import { trust } from '@herald/testing/trust'
import { afterAll, expect, test } from 'vitest'
import type { Answer } from '../core/answer.ts'
import { rich } from '../testing/conformance-cases.ts'
import { startNodeServer, type Asked } from '../testing/start-node-server.ts'
import { givenSend, makeAccounts, projectId, sealKeys, topic } from '../testing/start-peers.ts'
import { startSimulator, type Device } from '../testing/start-simulator.ts'
import { openApnsLine as openLibraryApnsLine } from './apns/library.ts'
import { openApnsLine } from './apns/transport.ts'
import { openAccessTokens } from './fcm/access-token.ts'
import { redirectFirebase } from './fcm/firebase.ts'
import { openFcmLine as openLibraryFcmLine } from './fcm/library.ts'
import { openFcmLine } from './fcm/transport.ts'
import { answerOf, type Line, type Push } from './provider.ts'

type Said = { status: number; headers?: Record<string, string>; body?: string }
let said: Said = { status: 200 }
const asked: Asked[] = []
const nodeServer = await startNodeServer((stream, request) => {
  asked.push(request)
  const { status, headers = {}, body = '' } = said
  stream.respond({ ':status': status, 'content-type': 'application/json', ...headers })
  stream.end(body)
})
const simulator = await startSimulator()
trust(readFileSync(simulator.ca, 'utf8'), nodeServer.ca)
const accounts = await makeAccounts(simulator)

const lines: Line[] = []
afterAll(() => Promise.all(lines.map((line) => line.close())))
const kept = (line: Line): Line => {
  lines.push(line)
  return line
}

/** The address that firebase-admin connects to. It can be redirected only once per process, so tests change this URL instead. */
const fcmUrl = new URL(nodeServer.url)
redirectFirebase(fcmUrl)

function openBoth(platform: 'ios' | 'android', url: URL): Record<'own' | 'library', Line> {
  if (platform === 'ios')
    return { own: kept(openApnsLine(url, 'production', topic)), library: kept(openLibraryApnsLine(url, 'production', topic)) }
  fcmUrl.host = url.host
  return { own: kept(openFcmLine(url, projectId)), library: kept(openLibraryFcmLine(projectId)) }
}

async function tokenFor(platform: 'ios' | 'android'): Promise<string> {
  if (platform === 'ios') return accounts.apnsToken(new Date()).token
  const { clientEmail, tokenUri, sealedPrivateKey, sealContext } = accounts.credentials.fcm
  const privateKey = readPrivateKey(openSealer(sealKeys).open(sealedPrivateKey, sealContext).toString())
  const access = await openAccessTokens({ clientEmail, privateKey, audience: tokenUri, url: tokenUri }).current()
  if ('answer' in access) throw new Error('no access token')
  return access.token
}

/** The changes by which the sends of these tests differ from `givenSend`. */
const changes: Partial<FrozenSend>[] = [
  {},
  rich,
  { ttl: 0 },
  { priority: 'normal' },
  { silent: true, content: null },
  { collapseId: 'ä'.repeat(40), data: { text: 'a "quoted" 📦 line\n' } },
]
const pushesTo = (platform: 'ios' | 'android', devices: Device[]): Push[] =>
  changes.map((change, place) => {
    const send = { ...givenSend('app', 'campaign'), ...change }
    const msgId = `message-${place}.${'m'.repeat(22)}`
    const address = devices[place]?.token ?? ''
    const entry = send.silent ? null : { title: 'Olá “anna”', body: 'Order 17 📦' }
    const encoded = encodePush(platform, { msgId, entry, send }, address, send.ttl)
    if (!encoded.ok) throw new Error('too long')
    const { collapseId, silent, priority, ttl: ttlSeconds } = send
    const at = { ttlSeconds, expiresAtSeconds: 1_900_000_000 + ttlSeconds }
    return { msgId, address, keys: null, environment: null, body: encoded.body, collapseId, silent, priority, ...at }
  })

test.each(['ios', 'android'] as const)('%s: the simulator records the same push from Herald as from the library', async (platform) => {
  const account = platform === 'ios' ? { bundleId: topic } : { projectId }
  const devices = await simulator.devices({ platform, count: changes.length, ...account })
  const pushes = pushesTo(platform, devices)
  const token = await tokenFor(platform)
  const both = openBoth(platform, new URL(simulator.addresses[platform === 'ios' ? 'apns' : 'fcm']))

  const record: Record<string, unknown> = {}
  for (const kind of ['own', 'library'] as const) {
    const before = (await simulator.arrivedAt(devices)).length
    const answers = await Promise.all(pushes.map((push) => answerOf((hear) => both[kind].send(push, token, hear))))
    expect(answers.map((answer) => answer.is === 'answered' && answer.status)).toEqual(pushes.map(() => 200))
    const arrived = (await simulator.arrivedAt(devices)).slice(before)
    expect(arrived).toHaveLength(pushes.length)
    record[kind] = arrived
      .toSorted((a, b) => a.msgId.localeCompare(b.msgId))
      // FCM gives each message a new name.
      .map(({ id, headers, payload, msgId, deviceId, environment }) => ({
        ...{ headers, payload, msgId, deviceId, environment },
        id: platform === 'ios' ? id : '',
      }))
  }
  expect(record['own']).toEqual(record['library'])
})

const givenDevice: Device = { id: 'device', token: 'ab'.repeat(32) }
const sendWithBoth = async (platform: 'ios' | 'android'): Promise<Record<'own' | 'library', { answers: Answer[]; asked: Asked[] }>> => {
  const both = openBoth(platform, nodeServer.url)
  const send = async (kind: 'own' | 'library') => {
    asked.length = 0
    const answers = await Promise.all(
      pushesTo(platform, Array<Device>(changes.length).fill(givenDevice)).map((push) =>
        answerOf((hear) => both[kind].send(push, 'token', hear)),
      ),
    )
    return { answers, asked: asked.toSorted((a, b) => a.body.localeCompare(b.body)) }
  }
  return { own: await send('own'), library: await send('library') }
}

/**
 * Headers that are not compared: by them a library names itself, its way to sign in or what it accepts, or they give the body's length, which
 * node-apn leaves out.
 */
const saysNothing = [
  'user-agent',
  'x-firebase-client',
  'x-goog-api-client',
  'content-length',
  'accept',
  'accept-encoding',
  'access_token_auth',
]

// spec: providers/content-length
test.each(['ios', 'android'] as const)(
  '%s: Node’s own HTTP/2 server accepts Herald’s requests, which have the library’s body and its headers that matter',
  async (platform) => {
    said = { status: 200, body: '{}' }
    const { own, library } = await sendWithBoth(platform)
    const comparable = ({ headers, body }: Asked) => ({
      body: JSON.parse(body) as unknown,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== ':authority' && !saysNothing.includes(name))),
    })
    expect(own.asked).toHaveLength(changes.length)
    expect(own.asked.map(comparable)).toEqual(library.asked.map(comparable))
    expect(own.asked.map(({ headers }) => headers['content-length'])).toEqual(own.asked.map(({ body }) => String(Buffer.byteLength(body))))
    expect(own.answers).toEqual(library.answers)
    expect(nodeServer.complaints).toEqual([])
  },
)

const fcmError = (status: string, ...details: object[]) =>
  JSON.stringify({ error: { status, message: 'Text of the provider’s.', details } })
const errorCode = (code: string) => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code })

test.each<[platform: 'ios' | 'android', said: Said]>([
  ['ios', { status: 400, body: '{"reason":"DeviceTokenNotForTopic"}' }],
  ['ios', { status: 403, body: '{"reason":"InvalidProviderToken"}' }],
  ['ios', { status: 403, body: '{"reason":"ExpiredProviderToken"}' }],
  ['ios', { status: 410, body: '{"reason":"Unregistered","timestamp":1767225600000}' }],
  ['ios', { status: 413, body: '{"reason":"PayloadTooLarge"}' }],
  ['ios', { status: 429, body: '{"reason":"TooManyRequests"}', headers: { 'retry-after': '7' } }],
  ['android', { status: 400, body: fcmError('INVALID_ARGUMENT', errorCode('INVALID_ARGUMENT')) }],
  ['android', { status: 403, body: fcmError('PERMISSION_DENIED', errorCode('SENDER_ID_MISMATCH')) }],
  ['android', { status: 404, body: fcmError('NOT_FOUND', errorCode('UNREGISTERED')) }],
  ['android', { status: 429, body: fcmError('RESOURCE_EXHAUSTED', errorCode('QUOTA_EXCEEDED')), headers: { 'retry-after': '7' } }],
  ['android', { status: 500, body: fcmError('INTERNAL', errorCode('INTERNAL')) }],
  ['android', { status: 502, body: '<html>Bad Gateway</html>', headers: { 'content-type': 'text/html' } }],
  ['android', { status: 503, body: fcmError('UNAVAILABLE', errorCode('UNAVAILABLE')), headers: { 'retry-after': '3' } }],
])('%s: Herald’s transport and the library read the answer %o alike', async (platform, answer) => {
  said = answer
  const { own, library } = await sendWithBoth(platform)
  expect(own.answers).toHaveLength(changes.length)
  expect(own.answers).toMatchObject(changes.map(() => ({ is: 'answered', status: answer.status })))
  expect(own.answers).toEqual(library.answers)
})
