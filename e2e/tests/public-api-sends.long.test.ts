import { givenApp } from '@herald/testing/given-app'
import { http, type Answer } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'

// The usual use of the public endpoints for segments, templates, notifications, campaigns and tracking, through the complete platform.

type Json = Record<string, unknown>

const herald = await sharedPlatform()
const tenant = await givenTenant(herald)
const app = await givenApp(herald)

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Json>> =>
  tenant.call<Json>(method, path, body, headers)
const codeOf = ({ status, body }: Answer<Json>): string => `${status} ${String((body['error'] as Json)['code'])}`
const content = { _default: 'en', en: { title: 'Hello', body: 'There is news' } }
const untilSent = (statsPath: string) =>
  until(
    async () => {
      const { body } = await call('GET', statsPath)
      if (body['status'] !== 'sent') throw new Error(JSON.stringify(body))
      return true
    },
    { withinMs: 30_000, what: 'sent' },
  )

// Segments

// spec: segments/preview, segments/count, segments/saved-replace, segments/saved-delete
test('a backend can preview, save, count, replace, list and delete segments', async () => {
  for (const plan of ['silver', 'silver', 'bronze']) await app.register({ tags: { tier: plan } })
  const silver = { field: 'tags.tier', op: 'eq', value: 'silver' }
  const count = { count: 2, byPlatform: { ios: 2, android: 0, web: 0 } }
  expect(await app.call('POST', '/v1/segments/preview', { segment: silver })).toMatchObject({ status: 200, body: count })
  const invalid = await app.call('POST', '/v1/segments/preview', { segment: { and: [{ field: 'tags.tier', op: 'like', value: 1 }] } })
  expect([codeOf(invalid), invalid.body]).toMatchObject(['422 invalid_segment', { error: { details: [{ path: 'segment.and.0.op' }] } }])

  const made = await app.call('POST', '/v1/segments', { name: 'Silver', definition: silver })
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'Silver', description: null, definition: silver, lastCount: null, lastCountedAt: null },
  })
  expect(codeOf(await app.call('POST', '/v1/segments', { name: 'Silver', definition: {} }))).toBe('409 duplicate_name')
  const path = `/v1/segments/${String(made.body['id'])}`
  expect(await app.call('POST', `${path}/count`)).toMatchObject({ status: 200, body: count })
  expect((await app.call('GET', path)).body).toMatchObject({ lastCount: 2, lastCountedAt: expect.any(String) })
  const changed = await app.call('PUT', path, { name: 'Silver or bronze', definition: { field: 'tags.tier', op: 'exists', value: true } })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Silver or bronze', lastCount: null, createdAt: made.body['createdAt'] } })

  await app.call('POST', '/v1/segments', { name: 'Everyone', definition: {} })
  const first = await app.call('GET', '/v1/segments?limit=1')
  expect(first.body['segments']).toMatchObject([{ name: 'Everyone' }])
  const second = await app.call('GET', `/v1/segments?limit=1&cursor=${String(first.body['nextCursor'])}`)
  expect(second.body).toMatchObject({ segments: [{ name: 'Silver or bronze' }], nextCursor: null })
  expect((await app.call('GET', '/v1/segments?q=SILV')).body).toMatchObject({ segments: [{ name: 'Silver or bronze' }] })

  expect((await app.call('DELETE', path)).status).toBe(204)
  expect(codeOf(await app.call('GET', path))).toBe('404 not_found')
})

// Templates, notifications and campaigns

// spec: content/template-replace, content/template-delete, content/template-use-count
test('a backend can make, list, replace and delete templates; a send raises the use count of its template, and one from a deleted template is refused', async () => {
  const made = await call('POST', '/v1/templates', { name: 'News', content, ttl: 60, data: { kind: 'news' } })
  expect(made).toMatchObject({ status: 201, body: { name: 'News', ttl: 60, description: null, collapseId: null, useCount: 0 } })
  expect(codeOf(await call('POST', '/v1/templates', { name: 'News', content }))).toBe('409 duplicate_name')
  const templateId = String(made.body['id'])
  expect((await call('POST', '/v1/notifications', { target: { externalIds: ['nobody'] }, templateId })).status).toBe(202)

  const replaced = await call('PUT', `/v1/templates/${templateId}`, { name: 'News', content, collapseId: 'news' })
  expect(replaced).toMatchObject({ status: 200, body: { ttl: null, data: null, collapseId: 'news' } })
  expect((await call('GET', `/v1/templates/${templateId}`)).body).toMatchObject({ collapseId: 'news', useCount: 1 })
  expect((await call('GET', '/v1/templates')).body).toMatchObject({ templates: [{ id: templateId }], nextCursor: null })
  expect((await call('DELETE', `/v1/templates/${templateId}`)).status).toBe(204)
  expect(codeOf(await call('POST', '/v1/notifications', { target: { all: true }, templateId }))).toBe('404 not_found')
})

// spec: sending/accept, tracking/stats, tracking/rates
test('a notification reaches its one device, the device’s report is counted, and the stats show counts and rates', async () => {
  const [made] = await tenant.makeDevices('ios', 1)
  const { id: subscriptionId } = await tenant.register(made!)
  const sent = await call(
    'POST',
    '/v1/notifications',
    { target: { subscriptionIds: [subscriptionId] }, content },
    { 'idempotency-key': 'once' },
  )
  expect(sent).toMatchObject({ status: 202, body: { status: 'sending' } })
  const again = await call(
    'POST',
    '/v1/notifications',
    { content, target: { subscriptionIds: [subscriptionId] } },
    { 'idempotency-key': 'once' },
  )
  expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([202, sent.body, 'true'])

  const statsPath = `/v1/campaigns/${String(sent.body['id'])}/stats`
  await untilSent(statsPath)
  const { pushes } = await tenant.simulator<{ pushes: { msgId: string }[] }>('GET', `/pushes?deviceId=${made!.id}`)
  expect(pushes).toHaveLength(1)
  expect((await http('POST', `${herald.baseUrl}/v1/e/d/${pushes[0]!.msgId}`)).status).toBe(204)
  expect((await call('GET', statsPath)).body).toMatchObject({
    stats: { queued: 1, sent: 1, delivered: 1 },
    rates: { delivery: 1, open: 0, click: 0 },
  })
  expect(codeOf(await http<Json>('POST', `${herald.baseUrl}/v1/e/z/${pushes[0]!.msgId}`))).toBe('400 unknown_kind')
  expect(codeOf(await http<Json>('POST', `${herald.baseUrl}/v1/e/d/${pushes[0]!.msgId}x`))).toBe('400 invalid_msg_id')
})

// spec: campaigns/create, campaigns/send-from
test('a campaign is a draft until it is sent; after that it cannot be sent again or cancelled', async () => {
  const [made] = await tenant.makeDevices('android', 1)
  await tenant.register(made!, { tags: { campaign: 'now' } })
  const segment = { field: 'tags.campaign', op: 'eq', value: 'now' }
  const draft = await call('POST', '/v1/campaigns', { name: 'Now', content, segment })
  expect(draft).toMatchObject({ status: 201, body: { status: 'draft' } })
  const path = `/v1/campaigns/${String(draft.body['id'])}`
  expect((await call('GET', `${path}/stats`)).body).toMatchObject({ status: 'draft', stats: { queued: 0 }, rates: { delivery: null } })

  expect(await call('POST', `${path}/send`)).toMatchObject({ status: 202, body: { status: 'sending' } })
  await untilSent(`${path}/stats`)
  expect((await call('GET', `${path}/stats`)).body).toMatchObject({ stats: { queued: 1, sent: 1 } })
  expect(codeOf(await call('POST', `${path}/send`))).toBe('409 invalid_state')
  expect(codeOf(await call('POST', `${path}/cancel`))).toBe('409 invalid_state')
  expect(codeOf(await call('POST', `${path}/experiment/winner`, { variant: 'a' }))).toBe('409 not_an_experiment')
})

// spec: campaigns/send, campaigns/cancel, campaigns/segment-copied
test('a campaign with a later time is scheduled and can be cancelled; sending a campaign whose segment was deleted is refused', async () => {
  const later = await call('POST', '/v1/campaigns', {
    name: 'Later',
    content,
    schedule: { type: 'at', at: new Date(Date.now() + 3_600_000).toISOString() },
  })
  const path = `/v1/campaigns/${String(later.body['id'])}`
  expect(await call('POST', `${path}/send`)).toMatchObject({ status: 202, body: { status: 'scheduled' } })
  expect(await call('POST', `${path}/cancel`)).toMatchObject({ status: 200, body: { status: 'cancelled' } })

  const segment = await call('POST', '/v1/segments', { name: 'Short-lived', definition: {} })
  const pointing = await call('POST', '/v1/campaigns', { name: 'Pointing', content, segmentId: segment.body['id'] })
  await call('DELETE', `/v1/segments/${String(segment.body['id'])}`)
  expect(codeOf(await call('POST', `/v1/campaigns/${String(pointing.body['id'])}/send`))).toBe('404 not_found')
})
