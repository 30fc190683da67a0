import {
  changeOwner,
  changeUser,
  createSegment,
  deleteUser,
  listSegments,
  loginSubscription,
  patchSubscription,
  previewSegment,
  readUser,
  rotateSubscription,
  startSession,
} from '@herald/contracts/calls/audience'
import { createCampaign, listTemplates, pickWinner, sendCampaign } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { writeCursor } from '@herald/contracts/page'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { exampleOf } from '../openapi/http/examples.ts'
import * as shop from './shop.ts'
import type { AuditEntry } from '../audit/store/audit.ts'
import { identityToken } from '../testing/identity-token.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey, publicKey } = await gateway.givenApp()
afterEach(() => peers.answers.clear())

const withSecret = { authorization: `Bearer ${secretKey}` }
const withPublic = { 'x-app-key': publicKey }
const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = withSecret) =>
  gateway.ask({ method, path, headers, ...(body === undefined ? {} : { body }) })
const lastAsked = ({ subject }: { subject: string }) => peers.asked.findLast((asked) => asked.subject === subject)?.request
const pathsOf = (told: Awaited<ReturnType<typeof ask>>) => told.body.error?.details?.map(({ path }) => path)
const id = newId()

// Subscriptions

// spec: identity/endpoint-host
test('a browser’s endpoint must be at a known push service, also after a change, unless the operator allows others', async () => {
  const browser = Object(exampleOf['registerSubscription']?.bodies?.['browser']) as { keys: unknown }
  const { keys } = browser
  const at = (endpoint: string) => ({ platform: 'web', endpoint, keys })
  const rotation = (endpoint: string) => ({ old: 'https://old.example/push', new: { endpoint, keys } })
  const known = 'https://updates.push.services.mozilla.com/wpush/v2/a'
  const unknown = 'https://push.elsewhere.example/a'

  expect((await ask('POST', '/v1/subscriptions', at(known), withPublic)).status).toBe(200)
  expect((await ask('POST', '/v1/subscriptions/rotate', rotation(known), withPublic)).status).toBe(200)
  for (const endpoint of [unknown, 'https://127.0.0.1/push', 'https://mozilla.com/push']) {
    const [registered, rotated] = [
      await ask('POST', '/v1/subscriptions', at(endpoint), withPublic),
      await ask('POST', '/v1/subscriptions/rotate', rotation(endpoint), withSecret),
    ]
    expect([registered.status, rotated.status]).toEqual([422, 422])
    expect([pathsOf(registered), pathsOf(rotated)]).toEqual([['endpoint'], ['new.endpoint']])
  }

  const open = await startGateway({ database: url('gateway'), nats }, { WEB_PUSH_ALLOWED_HOSTS: '*' })
  const told = await open.ask({ method: 'POST', path: '/v1/subscriptions', headers: withPublic, body: at(unknown) })
  expect(told.status).toBe(200)
  await open.stop()
})

// spec: identity/patch-device
test('a change of a device reaches audience; an empty one, and one of a user’s field, are refused', async () => {
  expect(await ask('PATCH', `/v1/subscriptions/${id}`, { optedIn: false }, withPublic)).toMatchObject({ status: 200 })
  expect(lastAsked(patchSubscription)).toEqual({ appId, subscriptionId: id, changes: { optedIn: false } })

  expect(await ask('PATCH', `/v1/subscriptions/${id}`, {}, withPublic)).toMatchObject({ status: 422 })
  expect(pathsOf(await ask('PATCH', `/v1/subscriptions/${id}`, { optedIn: true, language: 'de' }, withPublic))).toEqual(['language'])
})

// spec: identity/session
test('a device can report the start of a session with a body and without one', async () => {
  const path = `/v1/subscriptions/${id}/session`
  expect(await ask('POST', path, undefined, withPublic)).toMatchObject({ status: 200, body: { id: expect.any(String), sessionCount: 18 } })
  expect(lastAsked(startSession)).toEqual({ appId, subscriptionId: id, session: {} })
  await ask('POST', path, { appVersion: '1.0' }, withPublic)
  expect(lastAsked(startSession)).toMatchObject({ session: { appVersion: '1.0' } })
  expect(pathsOf(await ask('POST', path, { sdkVersion: '1.0' }, withPublic))).toEqual(['sdkVersion'])
})

// spec: identity/change-user
test('PATCH and POST change the tags and fields of a device’s owner in the same way', async () => {
  for (const method of ['PATCH', 'POST']) {
    const told = await ask(method, `/v1/subscriptions/${id}/user`, { tags: { plan: null }, country: 'at' }, withPublic)
    expect(told.body).toEqual({ userId: shop.user.id, tags: shop.user.tags })
    expect(lastAsked(changeOwner)).toEqual({
      appId,
      subscriptionId: id,
      changes: { tags: { plan: null }, country: 'AT' },
      keyKind: 'public',
    })
  }
})

test('in the path of a device, `rotate` is an operation and not the id of a device', async () => {
  const [body] = Object.values(exampleOf['rotateSubscription']?.bodies ?? {})
  expect(await ask('POST', '/v1/subscriptions/rotate', body, withPublic)).toMatchObject({ status: 200 })
  expect(lastAsked(rotateSubscription)).toEqual({ appId, rotation: body })
  expect(await ask('DELETE', '/v1/subscriptions/rotate', undefined, withPublic)).toMatchObject({ status: 405, headers: { allow: 'POST' } })
})

// spec: identity/verification
test('where identity tokens are required, a public key with an external id needs one to register or log in', async () => {
  const strict = await gateway.givenApp()
  await gateway.admin('PATCH', `/apps/${strict.appId}`, { settings: { identityVerification: 'required' } })
  const { secret } = (await gateway.admin('POST', `/apps/${strict.appId}/identity-secret`)).body
  const tokenOf = (externalId: string) => identityToken(String(secret), { sub: externalId, exp: Math.floor(Date.now() / 1000) + 600 })
  const open = { 'x-app-key': strict.publicKey }
  const named = [
    ['/v1/subscriptions', { platform: 'ios', token: 'abc', externalId: 'ada' }],
    [`/v1/subscriptions/${id}/login`, { externalId: 'ada' }],
  ] as const

  for (const [path, body] of named) {
    const statuses = [
      await ask('POST', path, body, open),
      await ask('POST', path, body, { ...open, 'x-identity-token': tokenOf('bob') }),
      await ask('POST', path, body, { ...open, 'x-identity-token': `${tokenOf('ada')}x` }),
      await ask('POST', path, body, { ...open, 'x-identity-token': tokenOf('ada') }),
      await ask('POST', path, body, { authorization: `Bearer ${strict.secretKey}` }),
    ].map(({ status }) => status)
    expect([path, statuses]).toEqual([path, [403, 403, 403, 200, 200]])
  }
  expect(lastAsked(loginSubscription)).toEqual({ appId: strict.appId, subscriptionId: id, externalId: 'ada', keyKind: 'secret' })
  expect(await ask('POST', '/v1/subscriptions', { platform: 'ios', token: 'abc' }, open)).toMatchObject({ status: 200 })
  expect(await ask('POST', `/v1/subscriptions/${id}/logout`, undefined, open)).toMatchObject({ status: 200 })
})

// Users

// spec: identity/read-user
test('a user can be named by id and by percent-encoded external id', async () => {
  await ask('GET', `/v1/users/${id}`)
  expect(lastAsked(readUser)).toEqual({ appId, user: { userId: id } })
  for (const externalId of ['a', 'Ada Lovelace', 'ada@example.org', 'a/b?c#d', '..%2f', '100%', 'é😀', 'x'.repeat(128), '😀'.repeat(128)]) {
    expect(await ask('GET', `/v1/users/by-external-id/${encodeURIComponent(externalId)}`)).toMatchObject({ status: 200 })
    expect(lastAsked(readUser)).toEqual({ appId, user: { externalId } })
  }
})

test('an external id that no user can have is 404, and PATCH, which would create the user, refuses it', async () => {
  const asked = peers.asked.length
  for (const externalId of ['x'.repeat(129), '%00', '%0a', 'null', 'undefined', 'NaN', '%5Bobject%20Object%5D', '%20']) {
    const path = `/v1/users/by-external-id/${externalId}`
    const told = [await ask('GET', path), await ask('DELETE', path), await ask('PATCH', path, { country: 'AT' })]
    expect([externalId, ...told.map(({ status }) => status)]).toEqual([externalId, 404, 404, 422])
    expect(pathsOf(told[2]!)).toEqual(['externalId'])
  }
  expect(peers.asked).toHaveLength(asked)
})

// spec: identity/change-user, identity/change-makes-user, identity/erase-user
test('changing a user by external id is 200 with the user, empty it is refused; deleting is 204', async () => {
  expect(await ask('PATCH', '/v1/users/by-external-id/new', { tags: { a: 1 } })).toMatchObject({ status: 200, body: shop.user })
  expect(lastAsked(changeUser)).toEqual({ appId, user: { externalId: 'new' }, changes: { tags: { a: 1 } } })
  expect(await ask('DELETE', '/v1/users/by-external-id/new')).toMatchObject({ status: 204, text: '' })
  expect(lastAsked(deleteUser)).toEqual({ appId, user: { externalId: 'new' } })
  expect(await ask('PATCH', `/v1/users/${id}`, {})).toMatchObject({ status: 422, body: { error: { code: 'invalid_body' } } })
})

test('a change of a user with a wrong tag is refused, and the error names the tag', async () => {
  expect(pathsOf(await ask('PATCH', `/v1/users/${id}`, { tags: { ok: 1, deep: { a: 1 } } }))).toEqual(['tags.deep'])
})

// Segments

// spec: segments/preview
test('a preview of a segment is accepted without a body, without a segment and with the segment {}', async () => {
  for (const body of [undefined, {}]) {
    expect(await ask('POST', '/v1/segments/preview', body)).toMatchObject({ status: 200 })
    expect(lastAsked(previewSegment)).toEqual({ appId, segment: null })
  }
  expect(await ask('POST', '/v1/segments/preview', { segment: {} })).toMatchObject({ status: 200, body: shop.counted })
  expect(lastAsked(previewSegment)).toEqual({ appId, segment: {} })
})

// spec: segments/meaning-errors, segments/saved-errors
test('an unknown field of a segment is invalid_segment in a preview, invalid_body when saved, with its place', async () => {
  const meaningless = {
    and: [
      { field: 'platform', op: 'eq', value: 'ios' },
      { field: '$where', op: 'eq', value: 1 },
    ],
  }
  const preview = await ask('POST', '/v1/segments/preview', { segment: meaningless })
  expect([preview.status, preview.body.error?.code, pathsOf(preview)]).toEqual([422, 'invalid_segment', ['segment.and.1.field']])

  for (const [method, path] of [
    ['POST', '/v1/segments'],
    ['PUT', `/v1/segments/${id}`],
  ] as const) {
    const told = await ask(method, path, { name: 'x', definition: meaningless })
    expect([told.status, told.body.error?.code, pathsOf(told)]).toEqual([422, 'invalid_body', ['definition.and.1.field']])
  }
  const malformed = await ask('POST', '/v1/segments/preview', { segment: { and: 5 } })
  expect([malformed.body.error?.code, pathsOf(malformed)]).toEqual(['invalid_body', ['segment.and']])
})

// spec: segments/saved-fields
test('a segment is saved word for word and answered with 201', async () => {
  const [body] = Object.values(exampleOf['createSegment']?.bodies ?? {})
  expect(await ask('POST', '/v1/segments', body)).toMatchObject({ status: 201, body: shop.segment })
  expect(lastAsked(createSegment)).toEqual({ appId, segment: body })
})

// Lists

// spec: segments/saved-list, content/template-list, limits/lists
test.each([
  ['segments', listSegments],
  ['templates', listTemplates],
])('saved %s are listed by limit, cursor and beginning of a name; a wrong query is refused', async (name, { subject }) => {
  const cursor = writeCursor({ createdAt: new Date(0), id })
  const item = name === 'segments' ? shop.segment : shop.template
  const told = await ask('GET', `/v1/${name}?limit=7&cursor=${cursor}&q=Act%20i`)

  expect(told.body).toEqual({ [name]: [item], nextCursor: null })
  expect(lastAsked({ subject })).toEqual({ appId, limit: 7, cursor, q: 'Act i' })
  await ask('GET', `/v1/${name}`)
  expect(lastAsked({ subject })).toEqual({ appId, limit: 100 })

  for (const [query, path] of [
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['cursor=x', 'cursor'],
    ['q=%00', 'q'],
    ['page=2', 'page'],
  ]) {
    const refused = await ask('GET', `/v1/${name}?${query}`)
    expect([query, refused.status, pathsOf(refused)]).toEqual([query, 422, [path]])
  }
})

// spec: limits/list-bytes
test('a page of a list ends at 512 KiB, and the list continues with its cursor', async () => {
  const items = Array.from({ length: 30 }, (_, n) => ({
    ...shop.segment,
    id: newId(),
    name: `Segment ${n}`,
    description: 'x'.repeat(40_000),
  }))
  peers.answers.set(listSegments.subject, () => ({ items, nextCursor: null }))
  const told = await ask('GET', '/v1/segments')

  expect(told.text.length).toBeLessThan(524_288 + 1_000)
  const shown = (told.body['segments'] as { id: string; createdAt: string }[]).length
  const last = items[shown - 1]!
  expect([shown, told.body['nextCursor']]).toEqual([12, writeCursor({ id: last.id, createdAt: new Date(last.createdAt) })])
})

// Campaigns

// spec: campaigns/create
test('a campaign is created as a draft, and a header says when the answer is a replay', async () => {
  peers.answers.set(createCampaign.subject, () => ({ id, status: 'draft', replayed: true }))
  const told = await ask('POST', '/v1/campaigns', { name: 'Sale', silent: true }, { ...withSecret, 'idempotency-key': 'sale' })

  expect(told).toMatchObject({ status: 201, body: { id, status: 'draft' }, headers: { 'idempotent-replayed': 'true' } })
  expect(Object.keys(told.body)).toEqual(['id', 'status'])
  expect(lastAsked(createCampaign)).toEqual({
    appId,
    idempotency: { key: 'sale', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    campaign: { name: 'Sale', silent: true, schedule: { type: 'now' } },
  })
})

// spec: campaigns/send
test.each(['sending', 'scheduled', 'active'])(
  'a request to send a campaign is answered with 202 and its new status, %s',
  async (status) => {
    peers.answers.set(sendCampaign.subject, () => ({ status }))
    expect(await ask('POST', `/v1/campaigns/${id}/send`)).toMatchObject({ status: 202, body: { status } })
    expect(lastAsked(sendCampaign)).toEqual({ appId, campaignId: id, defaultTimezone: 'UTC' })
  },
)

// spec: experiments/winner
test('a client picks the winner of an experiment by the id of its variant', async () => {
  expect(await ask('POST', `/v1/campaigns/${id}/experiment/winner`, { variant: 'b' })).toMatchObject({
    status: 202,
    body: { status: 'sending' },
  })
  expect(lastAsked(pickWinner)).toEqual({ appId, campaignId: id, variant: 'b', by: null })
  expect(pathsOf(await ask('POST', `/v1/campaigns/${id}/experiment/winner`, {}))).toEqual(['variant'])
})

// spec: campaigns/fields, campaigns/local-date
test.each<[wrong: object, path: string]>([
  [{ silent: true }, 'name'],
  [{ name: 'x' }, 'content'],
  [{ name: 'x'.repeat(201), silent: true }, 'name'],
  [{ name: 'x', silent: true, segment: {}, segmentId: id }, 'segmentId'],
  [{ name: 'x', silent: true, schedule: { type: 'at' } }, 'schedule.at'],
  [{ name: 'x', silent: true, schedule: { type: 'recurring', every: 'day', localTime: '25:00', timezone: 'UTC' } }, 'schedule.localTime'],
  [
    { name: 'x', silent: true, schedule: { type: 'recurring', every: 'week', daysOfWeek: [1, 1], localTime: '10:00', timezone: 'UTC' } },
    'schedule.daysOfWeek',
  ],
  [{ name: 'x', silent: true, schedule: { type: 'user_timezone', localTime: '09:00', lateMinutes: 5 } }, 'schedule.lateMinutes'],
  [{ name: 'x', silent: true, schedule: { type: 'user_timezone', localTime: '09:00', date: '2027-02-29' } }, 'schedule.date'],
  [
    { name: 'x', silent: true, schedule: { type: 'user_timezone', localTime: '09:00', date: '2027-02-28', lateMinutes: 1441 } },
    'schedule.lateMinutes',
  ],
  [{ name: 'x', silent: true, target: { all: true } }, 'target'],
  [{ name: 'x', content: { _default: 'de', en: { title: 't', body: 'b' } } }, 'content._default'],
])('the campaign %j is refused, and the error names %s', async (body, path) => {
  const told = await ask('POST', '/v1/campaigns', body)
  expect([told.status, told.body.error?.code, pathsOf(told)]).toEqual([422, 'invalid_body', [path]])
})

// Administration

// spec: administration/segments-templates, administration/lists
test('the administration offers the public operations on segments and templates, with its own form of lists, and audits each change', async () => {
  const [segment, template] = ['createSegment', 'createTemplate'].map((name) => Object.values(exampleOf[name]?.bodies ?? {})[0])
  const at = `/apps/${appId}`
  expect((await gateway.admin('GET', `${at}/segments?limit=5`)).body).toEqual({ items: [shop.segment], nextCursor: null })
  expect((await gateway.admin('GET', `${at}/templates`)).body).toEqual({ items: [shop.template], nextCursor: null })
  const statuses = [
    await gateway.admin('POST', `${at}/segments`, segment),
    await gateway.admin('PUT', `${at}/segments/${id}`, segment),
    await gateway.admin('GET', `${at}/segments/${id}`),
    await gateway.admin('POST', `${at}/segments/preview`, {}),
    await gateway.admin('POST', `${at}/segments/${id}/count`),
    await gateway.admin('DELETE', `${at}/segments/${id}`),
    await gateway.admin('POST', `${at}/templates`, template),
    await gateway.admin('PUT', `${at}/templates/${id}`, template),
    await gateway.admin('GET', `${at}/templates/${id}`),
    await gateway.admin('DELETE', `${at}/templates/${id}`),
  ].map(({ status }) => status)
  expect(statuses).toEqual([201, 200, 200, 200, 200, 204, 201, 200, 200, 204])

  const items = (await gateway.admin('GET', `${at}/audit`)).body['items'] as AuditEntry[]
  expect(new Set(items.slice(0, 6).map(({ action }) => action))).toEqual(
    new Set(['segment.created', 'segment.changed', 'segment.deleted', 'template.created', 'template.changed', 'template.deleted']),
  )
  expect(items.find(({ action }) => action === 'segment.created')?.subject).toEqual({ id: shop.segment.id })
  expect(items.find(({ action }) => action === 'segment.deleted')?.subject).toEqual({ id })
})
