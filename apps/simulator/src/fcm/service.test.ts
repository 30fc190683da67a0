import { request } from 'node:https'
import type { ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { givenSimulator, makeJwt, post, seconds, type Answered } from '../testing/simulator.ts'

type Made = { devices: { id: string; token: string }[] }
type ServiceAccount = { project_id: string; client_email: string; private_key: string; token_uri: string }

let simulator: Awaited<ReturnType<typeof givenSimulator>>
let session: ClientHttp2Session
let account: ServiceAccount
let bearer: string
let device: { id: string; token: string }
let foreign: { id: string; token: string }

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const claimsOf = (changes = {}) => ({
  iss: account.client_email,
  aud: account.token_uri,
  scope,
  iat: seconds(),
  exp: seconds(3600),
  ...changes,
})
const grant = (assertion: string, grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer') =>
  http1(account.token_uri, form, new URLSearchParams({ grant_type: grantType, assertion }).toString())

const http1 = (url: string, headers: Record<string, string>, body: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ca: simulator.certificate.pem }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const path = '/v1/projects/demo/messages:send'
const message = (changes: object = {}) => ({
  message: { token: device.token, notification: { title: 'Hello' }, data: { msgId: 'message-1' }, ...changes },
})
const send = (body: unknown = message(), authorization = `Bearer ${bearer}`) =>
  post(session, path, { authorization, 'content-type': 'application/json' }, JSON.stringify(body))

type ErrorBody = {
  error: { code: number; status: string; details?: { '@type': string; errorCode?: string; fieldViolations?: { field: string }[] }[] }
}
const errorOf = (answer: Answered) => {
  const { error } = JSON.parse(answer.body) as ErrorBody
  const detail = (type: string) => error.details?.find((each) => each['@type'] === `type.googleapis.com/${type}`)
  return {
    http: answer.status,
    code: error.code,
    status: error.status,
    errorCode: detail('google.firebase.fcm.v1.FcmError')?.errorCode,
    field: detail('google.rpc.BadRequest')?.fieldViolations?.[0]?.field,
  }
}

beforeAll(async () => {
  simulator = await givenSimulator()
  account = await simulator.ask<ServiceAccount>('POST', '/accounts', { kind: 'fcm', projectId: 'demo' })
  await simulator.ask('POST', '/accounts', { kind: 'fcm', projectId: 'other' })
  ;[device] = (await simulator.ask<Made>('POST', '/devices', { platform: 'android', projectId: 'demo' })).devices as [typeof device]
  ;[foreign] = (await simulator.ask<Made>('POST', '/devices', { platform: 'android', projectId: 'other' })).devices as [typeof device]
  bearer = (JSON.parse((await grant(makeJwt('RS256', account.private_key, claimsOf()))).body) as { access_token: string }).access_token
  session = simulator.session(simulator.addresses.fcm)
})
afterAll(() => simulator.stop())
beforeEach(() => simulator.ask('POST', '/reset'))

test('Google answers a signed assertion with an access token for an hour', async () => {
  const answer = await grant(makeJwt('RS256', account.private_key, claimsOf()))
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.body)).toEqual({ access_token: expect.any(String), expires_in: 3600, token_type: 'Bearer' })
})

const badGrants: [what: string, error: string, send: () => Promise<Answered>][] = [
  ['another grant type', 'unsupported_grant_type', () => grant('x', 'password')],
  ['a text that is no JWT', 'invalid_grant', () => grant('x')],
  ['an unknown account', 'invalid_grant', () => grant(makeJwt('RS256', account.private_key, claimsOf({ iss: 'nobody@example.com' })))],
  ['another audience', 'invalid_grant', () => grant(makeJwt('RS256', account.private_key, claimsOf({ aud: 'https://example.com/token' })))],
  ['more than an hour', 'invalid_grant', () => grant(makeJwt('RS256', account.private_key, claimsOf({ exp: seconds(3700) })))],
  [
    'an expired assertion',
    'invalid_grant',
    () => grant(makeJwt('RS256', account.private_key, claimsOf({ iat: seconds(-7200), exp: seconds(-3600) }))),
  ],
  ['another scope', 'invalid_scope', () => grant(makeJwt('RS256', account.private_key, claimsOf({ scope: 'email' })))],
  ['a changed signature', 'invalid_grant', () => grant(`${makeJwt('RS256', account.private_key, claimsOf()).slice(0, -10)}AAAAAAAAAA`)],
]

test.each(badGrants)('Google refuses to issue an access token for %s, with the error %s', async (_, error, sent) => {
  const answer = await sent()
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ error })
})

test('FCM accepts messages over HTTP/2 and HTTP/1.1, and the simulator records them', async () => {
  const first = await send(message({ android: { ttl: '3600s', priority: 'high', collapse_key: 'c', notification: { tag: 't' } } }))
  const second = await http1(simulator.addresses.fcm + path, { authorization: `Bearer ${bearer}` }, JSON.stringify(message()))
  expect([first.status, second.status]).toEqual([200, 200])
  const { name } = JSON.parse(first.body) as { name: string }
  const { pushes } = await simulator.ask<{ pushes: unknown[] }>('GET', '/pushes?platform=android')
  expect(name).toMatch(/^projects\/demo\/messages\/0:/)
  expect(pushes).toMatchObject([
    { seq: 1, id: name, deviceId: device.id, msgId: 'message-1', payload: { message: { android: { ttl: '3600s' } } } },
    { seq: 2 },
  ])
})

test('when FCM is set to break its answer off over HTTP/1.1, the connection breaks and the push counts as accepted', async () => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'reset_after_accept', times: 1 })
  const sent = http1(simulator.addresses.fcm + path, { authorization: `Bearer ${bearer}` }, JSON.stringify(message()))
  await expect(sent).rejects.toThrow(/socket hang up|ECONNRESET/)
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { android: 1 } })
})

test('FCM answers a message with validate_only with 200 and does not count it as accepted', async () => {
  expect((await send({ ...message(), validate_only: true })).status).toBe(200)
  expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { android: 0 } })
})

const badMessages: [what: string, field: string, body: () => unknown][] = [
  ['no message', 'message', () => ({})],
  ['no token', 'message', () => ({ message: { data: {} } })],
  ['an unknown field of the request', '', () => ({ ...message(), priority: 'high' })],
  ['an unknown field of the message', 'message', () => message({ priority: 'high' })],
  ['an unknown field of android', 'message.android', () => message({ android: { timeToLive: 5 } })],
  ['a value of data that is no string', 'message.data[count]', () => message({ data: { count: 5 } })],
  ['a reserved key in data', 'message.data', () => message({ data: { from: 'me' } })],
  ['a key of data that begins with google.', 'message.data', () => message({ data: { 'google.x': 'me' } })],
  ['a ttl that is no duration', 'message.android.ttl', () => message({ android: { ttl: 3600 } })],
  ['a ttl over four weeks', 'message.android.ttl', () => message({ android: { ttl: '2419201s' } })],
  ['an unknown priority', 'message.android.priority', () => message({ android: { priority: 'urgent' } })],
  ['more than 4096 bytes', 'message', () => message({ data: { text: 'x'.repeat(4096) } })],
]

test.each(badMessages)('FCM refuses a request with %s as INVALID_ARGUMENT and names the field "%s"', async (_, field, body) => {
  expect(errorOf(await send(body()))).toEqual({ http: 400, code: 400, status: 'INVALID_ARGUMENT', errorCode: 'INVALID_ARGUMENT', field })
})

test('FCM says in its message alone that a token is malformed (firebase-admin-java#1064)', async () => {
  const answer = await send(message({ token: 'abc' }))
  expect(errorOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT', errorCode: 'INVALID_ARGUMENT', field: undefined })
})

test('FCM refuses a body that is not JSON as INVALID_ARGUMENT', async () => {
  const answer = await post(session, path, { authorization: `Bearer ${bearer}` }, '{')
  expect(errorOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' })
})

test('FCM refuses a message without an access token, or with one that was never issued, as UNAUTHENTICATED', async () => {
  expect(errorOf(await send(message(), 'Bearer ya29.made-up'))).toMatchObject({ http: 401, status: 'UNAUTHENTICATED' })
  expect(errorOf(await send(message(), ''))).toMatchObject({ http: 401, status: 'UNAUTHENTICATED' })
})

test('FCM refuses an access token of another project as PERMISSION_DENIED, and a device of another project as SENDER_ID_MISMATCH', async () => {
  const denied = await post(session, '/v1/projects/other/messages:send', { authorization: `Bearer ${bearer}` }, JSON.stringify(message()))
  expect(errorOf(denied)).toMatchObject({ http: 403, status: 'PERMISSION_DENIED', errorCode: undefined })
  expect(errorOf(await send(message({ token: foreign.token })))).toMatchObject({ http: 403, errorCode: 'SENDER_ID_MISMATCH' })
})

test('FCM sends to a Firebase installation’s id as `fid`, and refuses a token and an id together', async () => {
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'android', projectId: 'demo', installationIds: true })
  const fid = devices[0]?.token ?? ''
  expect((await send(message({ token: undefined, fid }))).status).toBe(200)
  expect(errorOf(await send(message({ fid })))).toMatchObject({ http: 400, field: 'message' })
  const unknown = fid.replace(/.{10}$/, '0123456789')
  expect(errorOf(await send(message({ token: undefined, fid: unknown })))).toMatchObject({ http: 404, errorCode: 'UNREGISTERED' })
})

test('FCM answers UNREGISTERED to a device token that looks real but is unknown', async () => {
  const unknown = device.token.replace(/.{10}$/, '0123456789')
  expect(errorOf(await send(message({ token: unknown })))).toMatchObject({ http: 404, status: 'NOT_FOUND', errorCode: 'UNREGISTERED' })
})

test('FCM keeps the last notification for a phone that is off, and one of each of four collapse keys', async () => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'offline' })
  const notification = (data: string, android = {}) => message({ notification: { title: 'x' }, data: { msgId: data }, android })
  for (const msgId of ['1', '2']) await send(notification(msgId))
  for (const msgId of ['a', 'b', 'c']) await send(notification(msgId, { collapse_key: msgId }))
  await send(notification('never kept', { collapse_key: 'd', ttl: '0s' }))
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, { answer: 'ok' })
  expect(await simulator.ask('GET', `/devices/${device.id}/kept`)).toMatchObject({
    pushes: ['2', 'a', 'b', 'c'].map((msgId) => ({ msgId })),
  })
})

const behaviours: [answer: string, http: number, status: string, errorCode: string, retryAfter?: string][] = [
  ['dead', 404, 'NOT_FOUND', 'UNREGISTERED'],
  ['bad_token', 400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
  ['rate_limited', 429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', '9'],
  ['failing', 500, 'INTERNAL', 'INTERNAL'],
  ['unavailable', 503, 'UNAVAILABLE', 'UNAVAILABLE'],
  ['sender_mismatch', 403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'],
]

test.each(behaviours)('a push to a device with the behaviour %s is answered %i %s', async (answer, http, status, errorCode, retryAfter) => {
  await simulator.ask('PUT', `/devices/${device.id}/behaviour`, {
    answer,
    times: 1,
    ...(retryAfter && { retryAfterSeconds: Number(retryAfter) }),
  })
  const answered = await send()
  expect(errorOf(answered)).toMatchObject({ http, code: http, status, errorCode })
  expect(answered.headers['retry-after']).toBe(retryAfter)
})
