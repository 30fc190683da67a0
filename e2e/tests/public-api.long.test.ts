import { createHmac } from 'node:crypto'
import { whyNotDocumented, type ApiDocument } from '@herald/testing/fuzz-requests'
import { givenApp, type GivenApp } from '@herald/testing/given-app'
import { http, type Answer } from '@herald/testing/herald'
import { runFuzz } from '@herald/testing/run-fuzz'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'

// The usual use of the public endpoints for devices and users, through the complete platform. The last tests compare answers with the OpenAPI
// document.

type Json = Record<string, unknown>
type Device = { id: string; userId: string }

const herald = await sharedPlatform()
let app: GivenApp
let document: ApiDocument

beforeAll(async () => {
  app = await givenApp(herald)
  document = (await http<ApiDocument>('GET', `${herald.baseUrl}/openapi.json`)).body
})

const call: GivenApp['call'] = (...asked) => app.call(...asked)
const callOpen: GivenApp['callOpen'] = (...asked) => app.callOpen(...asked)
const register: GivenApp['register'] = (...asked) => app.register(...asked)
const userOf = async (id: string): Promise<Json> => (await call('GET', `/v1/users/${id}`)).body
const codeOf = ({ status, body }: Answer<Json>): string => `${status} ${String((body['error'] as Json)['code'])}`
const content = { _default: 'en', en: { title: 'Hello', body: 'There is news' } }
const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

// Subscriptions

// spec: identity/register, identity/one-device-per-address
test('POST /v1/subscriptions makes one device when a client sends the same registration twice', async () => {
  const body = { platform: 'android', token: 'the-same-token', tags: { plan: 'gold' }, language: 'pt_br', country: 'at' }
  const first = await callOpen('POST', '/v1/subscriptions', body)
  const again = await callOpen('POST', '/v1/subscriptions', body)

  expect(first).toMatchObject({ status: 200, body: { platform: 'android' } })
  expect(again.body).toEqual(first.body)
  const user = await userOf(String(first.body['userId']))
  expect(user).toMatchObject({
    tags: { plan: 'gold' },
    language: 'pt-BR',
    country: 'AT',
    subscriptions: [{ id: first.body['id'], optedIn: true, sessionCount: 1 }],
  })
  expect(user).not.toHaveProperty('externalId')
})

// spec: identity/patch-device, identity/register-revives, identity/reachable
test('a client can opt a device out with PATCH /v1/subscriptions/:id, and registering the device again opts it in', async () => {
  const body = { platform: 'ios', token: 'opted-out-token' }
  const { id, userId } = (await callOpen('POST', '/v1/subscriptions', body)).body as Device
  expect(await callOpen('PATCH', `/v1/subscriptions/${id}`, { optedIn: false, appVersion: '2.0' })).toMatchObject({
    status: 200,
    body: { id, optedIn: false },
  })
  expect(await userOf(userId)).toMatchObject({ subscriptions: [{ optedIn: false, appVersion: '2.0' }] })

  await callOpen('POST', '/v1/subscriptions', body)
  expect(await userOf(userId)).toMatchObject({ subscriptions: [{ id, optedIn: true }] })
})

// spec: identity/session
test('POST /v1/subscriptions/:id/session right after the registration counts no further session, with a body or without', async () => {
  const { id } = await register()
  const first = await callOpen('POST', `/v1/subscriptions/${id}/session`)
  expect(first).toMatchObject({ status: 200, body: { id, sessionCount: 1 } })
  expect(await callOpen('POST', `/v1/subscriptions/${id}/session`, { osVersion: '18.2' })).toMatchObject({ status: 200, body: first.body })
})

// spec: identity/login, identity/logout
test('a login gives the anonymous user an external id, or moves the device to the user who has that id; a logout gives the device a new anonymous user', async () => {
  const [one, other] = [await register({ tags: { a: 1 } }), await register({ tags: { b: 2 } })]
  expect(await callOpen('POST', `/v1/subscriptions/${one.id}/login`, { externalId: 'ada' })).toMatchObject({
    status: 200,
    body: { userId: one.userId, externalId: 'ada' },
  })
  expect((await callOpen('POST', `/v1/subscriptions/${other.id}/login`, { externalId: 'ada' })).body['userId']).toBe(one.userId)
  const ada = await userOf(one.userId)
  expect(ada).toMatchObject({ externalId: 'ada', tags: { a: 1 } })
  expect((ada['subscriptions'] as Device[]).map(({ id }) => id).toSorted()).toEqual([one.id, other.id].toSorted())
  expect(codeOf(await call('GET', `/v1/users/${other.userId}`))).toBe('404 not_found')

  const out = await callOpen('POST', `/v1/subscriptions/${other.id}/logout`)
  expect(out.status).toBe(200)
  expect(await userOf(String(out.body['userId']))).toMatchObject({ tags: {}, subscriptions: [{ id: other.id }] })
})

// spec: identity/change-user, identity/tags-merge
test('PATCH and POST …/user change the user who owns the device: tags are merged, and null deletes a tag', async () => {
  const { id, userId } = await register({ tags: { a: 1, b: 2 } })
  expect(await callOpen('PATCH', `/v1/subscriptions/${id}/user`, { tags: { b: null, c: 'x' } })).toMatchObject({
    status: 200,
    body: { userId, tags: { a: 1, c: 'x' } },
  })
  expect((await callOpen('POST', `/v1/subscriptions/${id}/user`, { tags: { d: true } })).body['tags']).toEqual({ a: 1, c: 'x', d: true })
  expect(codeOf(await callOpen('PATCH', `/v1/subscriptions/${id}/user`, {}))).toBe('422 invalid_body')
})

// spec: identity/delete-device, identity/anonymous-user
test('DELETE /v1/subscriptions/:id removes the device; an anonymous user goes with the last device', async () => {
  const { id, userId } = await register()
  expect(await callOpen('DELETE', `/v1/subscriptions/${id}`)).toMatchObject({ status: 204, body: undefined })
  expect(codeOf(await callOpen('DELETE', `/v1/subscriptions/${id}`))).toBe('404 not_found')
  expect(codeOf(await call('GET', `/v1/users/${userId}`))).toBe('404 not_found')
})

// spec: identity/rotate
test('POST /v1/subscriptions/rotate gives a browser’s device a new endpoint, and the device keeps its id', async () => {
  const endpoint = 'https://updates.push.services.mozilla.com/old'
  const { id, userId } = (await callOpen('POST', '/v1/subscriptions', { platform: 'web', endpoint, keys, browser: 'Firefox' }))
    .body as Device
  const rotation = { old: endpoint, new: { endpoint: 'https://updates.push.services.mozilla.com/new', keys } }
  expect(await callOpen('POST', '/v1/subscriptions/rotate', rotation)).toMatchObject({ status: 200, body: { id } })
  expect(await userOf(userId)).toMatchObject({ subscriptions: [{ id, endpoint: rotation.new.endpoint, keys }] })
  expect(codeOf(await callOpen('POST', '/v1/subscriptions/rotate', rotation))).toBe('404 not_found')
})

// spec: identity/verification
test('with identity verification a client with a public key can log in only a user for whom the app’s backend has signed', async () => {
  const strict = await givenApp(herald)
  await strict.admin('PATCH', '', { settings: { identityVerification: 'required' } })
  const secret = String((await strict.admin('POST', '/identity-secret')).body['secret'])
  const claims = [{ alg: 'HS256' }, { sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600 }]
  const text = claims.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const token = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  const { id } = await strict.register()
  const login = (externalId: string, headers: Record<string, string>) =>
    strict.callOpen('POST', `/v1/subscriptions/${id}/login`, { externalId }, headers)

  expect(codeOf(await login('ada', {}))).toBe('403 forbidden')
  expect(codeOf(await login('eve', { 'x-identity-token': token }))).toBe('403 forbidden')
  expect(await login('ada', { 'x-identity-token': token })).toMatchObject({ status: 200, body: { externalId: 'ada' } })
})

// Users

// spec: identity/read-user, identity/masked-token
test('reading a user by id and by external id gives the same answer, with tokens masked', async () => {
  const { userId } = await register({ externalId: 'grace/hopper?' })
  const byId = await call('GET', `/v1/users/${userId}`)
  const byExternalId = await call('GET', `/v1/users/by-external-id/${encodeURIComponent('grace/hopper?')}`)
  expect(byId.status).toBe(200)
  expect(byExternalId.body).toEqual(byId.body)
  expect((byId.body['subscriptions'] as Json[])[0]?.['token']).toBe('…000000')
})

// spec: identity/change-makes-user
test('PATCH with an unknown external id makes a user, and a later login finds that user', async () => {
  const made = await call('PATCH', '/v1/users/by-external-id/later', { tags: { plan: 'gold' }, timezone: 'Europe/Vienna' })
  expect(made).toMatchObject({ status: 200, body: { externalId: 'later', tags: { plan: 'gold' }, subscriptions: [] } })
  const { id } = await register()
  expect((await callOpen('POST', `/v1/subscriptions/${id}/login`, { externalId: 'later' })).body['userId']).toBe(made.body['id'])
  expect((await call('PATCH', `/v1/users/${String(made.body['id'])}`, { tags: { plan: null } })).body).toMatchObject({
    tags: {},
    subscriptions: [{ id }],
  })
})

// spec: identity/erase-user
test('DELETE of a user erases the user and the user’s device', async () => {
  const { id, userId } = await register({ externalId: 'forgotten' })
  expect((await call('DELETE', '/v1/users/by-external-id/forgotten')).status).toBe(204)
  expect(codeOf(await call('GET', `/v1/users/${userId}`))).toBe('404 not_found')
  expect(codeOf(await callOpen('POST', `/v1/subscriptions/${id}/session`))).toBe('404 not_found')
  expect(codeOf(await call('DELETE', `/v1/users/${userId}`))).toBe('404 not_found')
})

// The whole API

// spec: limits/foreign-ids
test('requests for devices, users, segments, templates and campaigns of another app are answered 404', async () => {
  const stranger = await givenApp(herald)
  const { id, userId } = await register({ externalId: 'mine alone' })
  const segment = await call('POST', '/v1/segments', { name: 'Mine', definition: {} })
  const template = await call('POST', '/v1/templates', { name: 'Mine', content })
  const campaign = await call('POST', '/v1/campaigns', { name: 'Mine', content })
  const asked: [string, string, unknown?][] = [
    ['PATCH', `/v1/subscriptions/${id}`, { optedIn: false }],
    ['DELETE', `/v1/subscriptions/${id}`],
    ['POST', `/v1/subscriptions/${id}/login`, { externalId: 'x' }],
    ['GET', `/v1/users/${userId}`],
    ['DELETE', `/v1/users/by-external-id/${encodeURIComponent('mine alone')}`],
    ['GET', `/v1/segments/${String(segment.body['id'])}`],
    ['DELETE', `/v1/segments/${String(segment.body['id'])}`],
    ['PUT', `/v1/templates/${String(template.body['id'])}`, { name: 'x', content }],
    ['POST', `/v1/campaigns/${String(campaign.body['id'])}/send`],
    ['GET', `/v1/campaigns/${String(campaign.body['id'])}/stats`],
  ]
  const answers = await Promise.all(asked.map(([method, path, body]) => stranger.call(method, path, body)))
  expect(answers.map(codeOf)).toEqual(asked.map(() => '404 not_found'))
  expect((await userOf(userId))['subscriptions']).toMatchObject([{ id, optedIn: true }])
})

// spec: limits/health, limits/document
test('/health, /openapi.json and /docs answer without a key', async () => {
  expect(await http('GET', `${herald.baseUrl}/health`)).toMatchObject({ status: 200, body: { status: 'ok', db: 'ready' } })
  expect(document).toMatchObject({ openapi: '3.1.0' })
  expect((await http<string>('GET', `${herald.baseUrl}/docs`)).body).toContain('/docs/swagger-ui.js')
})

// spec: limits/document
test('the platform accepts every example body of the OpenAPI document, apart from those for a winner and a rotation, and answers as documented', async () => {
  const shop = await givenApp(herald)
  const named = async (method: string, path: string, body: unknown) => String((await shop.call(method, path, body)).body['id'])
  const templateId = await named('POST', '/v1/templates', { name: 'Real', content })
  const segmentId = await named('POST', '/v1/segments', { name: 'Real', definition: {} })
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => ({ path, method, operation })),
  )
  let sent = 0
  for (const { path, method, operation } of operations) {
    const { content: media } = (operation['requestBody'] ?? {}) as {
      content?: Record<string, { examples: Record<string, { value: Json }> }>
    }
    for (const [name, { value }] of Object.entries(media?.['application/json']?.examples ?? {})) {
      if (path.includes('winner') || path.includes('rotate')) continue
      const { id, userId } = await shop.register()
      const ids: Record<string, string> = { subscriptions: id, users: userId, templates: templateId, segments: segmentId }
      const filled = path.replace('{externalId}', 'customer-4711').replace('{id}', ids[path.split('/')[2] ?? ''] ?? '')
      const real = JSON.stringify(value)
        .replaceAll('671a2b3c4d5e6f7081920a04', templateId)
        .replaceAll('671a2b3c4d5e6f7081920a03', segmentId)
      // The examples of POST and PUT give a segment or a template the same name, which is taken when the PUT is sent.
      const body: unknown = JSON.parse(method === 'put' ? real.replace('"name":"', '"name":"Other ') : real)
      const answer = await shop.call(method.toUpperCase(), filled, body)
      sent += 1
      expect([method, filled, name, answer.status, answer.status < 300 ? '' : answer.body]).toEqual([
        method,
        filled,
        name,
        expect.any(Number),
        '',
      ])
      const told = { status: answer.status, headers: Object.fromEntries(answer.headers), text: JSON.stringify(answer.body) }
      expect(
        whyNotDocumented(document, { method, path, headers: {}, body: undefined, operation, name: path, resource: '' }, told),
      ).toBeUndefined()
    }
  }
  expect(sent).toBeGreaterThan(15)
})

test('3,000 generated requests, many of them hostile, get answers that the OpenAPI document promises', async () => {
  const shop = await givenApp(herald)
  const { failures, failed } = await runFuzz({
    baseUrl: herald.baseUrl,
    document,
    credentials: shop,
    count: 3_000,
    seed: 3,
    concurrency: 16,
  })
  expect(failures).toEqual([])
  expect(failed).toBe(0)
})
