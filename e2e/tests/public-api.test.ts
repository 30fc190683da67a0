import { whyNotDocumented, type ApiDocument } from '@herald/testing/fuzz-requests'
import { givenApp, type GivenApp } from '@herald/testing/given-app'
import { http, type Answer } from '@herald/testing/herald'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'

// One journey through the public API of the complete platform, other apps, and the OpenAPI document. Tests of the gateway prove each endpoint.

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

// spec: identity/register, identity/one-device-per-address, identity/patch-device, identity/register-revives, identity/login, identity/change-user, identity/read-user, identity/delete-device
test('a device registers twice, opts out, returns, logs in and is deleted, and the backend sees each change', async () => {
  const body = { platform: 'android', token: 'the-same-token', tags: { plan: 'gold' }, language: 'pt_br' }
  const first = await callOpen('POST', '/v1/subscriptions', body)
  const { id, userId } = first.body as Device
  expect((await callOpen('POST', '/v1/subscriptions', body)).body).toEqual(first.body)

  expect((await callOpen('PATCH', `/v1/subscriptions/${id}`, { optedIn: false, appVersion: '2.0' })).status).toBe(200)
  expect(await userOf(userId)).toMatchObject({ language: 'pt-BR', subscriptions: [{ id, optedIn: false, appVersion: '2.0' }] })
  await callOpen('POST', '/v1/subscriptions', body)
  expect(await userOf(userId)).toMatchObject({ subscriptions: [{ id, optedIn: true }] })

  expect((await callOpen('POST', `/v1/subscriptions/${id}/login`, { externalId: 'grace/hopper?' })).status).toBe(200)
  expect((await callOpen('PATCH', `/v1/subscriptions/${id}/user`, { tags: { plan: null, city: 'Vienna' } })).status).toBe(200)
  const read = await call('GET', `/v1/users/by-external-id/${encodeURIComponent('grace/hopper?')}`)
  expect(read.body).toMatchObject({ id: userId, tags: { city: 'Vienna' }, subscriptions: [{ id, token: expect.stringMatching(/^…/) }] })

  expect((await callOpen('DELETE', `/v1/subscriptions/${id}`)).status).toBe(204)
  expect(await userOf(userId)).toMatchObject({ subscriptions: [] })
  expect((await call('DELETE', `/v1/users/${userId}`)).status).toBe(204)
  expect(codeOf(await call('GET', `/v1/users/${userId}`))).toBe('404 not_found')
})

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
test('the platform accepts each example body of the OpenAPI document but three that need more, and answers as documented', async () => {
  const shop = await givenApp(herald)
  const named = async (method: string, path: string, body: unknown) => String((await shop.call(method, path, body)).body['id'])
  const templateId = await named('POST', '/v1/templates', { name: 'Real', content })
  const segmentId = await named('POST', '/v1/segments', { name: 'Real', definition: {} })
  await shop.admin('POST', '/categories', { id: 'offers', name: 'Offers', default: 'in' })
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => ({ path, method, operation })),
  )
  let sent = 0
  for (const { path, method, operation } of operations) {
    const { content: media } = (operation['requestBody'] ?? {}) as {
      content?: Record<string, { examples: Record<string, { value: Json }> }>
    }
    for (const [name, { value }] of Object.entries(media?.['application/json']?.examples ?? {})) {
      if (/winner|recall|rotate/.test(path)) continue
      const { id, userId } = await shop.register()
      const ids: Record<string, string> = { subscriptions: id, users: userId, templates: templateId, segments: segmentId }
      const inPath: Record<string, string> = {
        ...{ externalId: 'customer-4711', attributesType: 'MatchAttributes', activityId: 'match-3' },
        id: ids[path.split('/')[2] ?? ''] ?? '',
      }
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => inPath[parameter] ?? '')
      const real = JSON.stringify(value)
        .replaceAll('671a2b3c4d5e6f7081920a04', templateId)
        .replaceAll('671a2b3c4d5e6f7081920a03', segmentId)
        // A conversion is reported within a week.
        .replaceAll(/"at":"2026-01-13[^"]*"/g, `"at":"${new Date().toISOString()}"`)
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
      const told = {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        text: answer.status === 204 ? '' : JSON.stringify(answer.body),
      }
      expect(
        whyNotDocumented(document, { method, path, headers: {}, body: undefined, operation, name: path, resource: '' }, told),
      ).toBeUndefined()
    }
  }
  expect(sent).toBeGreaterThan(15)
})
