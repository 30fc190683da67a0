import type { Inbox } from '@herald/contracts/inbox'
import { http } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { identityToken } from '../browser/identity.ts'
import { sharedProcesses } from '../platform.ts'
import { givenDevices, ok, sendCampaign, untilSettled } from './campaigns.ts'

const herald = await sharedProcesses()

// spec: inbox/list, inbox/item, inbox/opted-out, inbox/owner, inbox/identity, inbox/read, inbox/erased, administration/user-inbox
test('a person reads what was sent to them, on any device, also with pushes off, and nobody else does', async () => {
  const tenant = await givenTenant(herald)
  const [phone, tablet] = await givenDevices(tenant, 'ios', 2, () => ({ externalId: 'ann', language: 'de', tags: { plan: 'gold' } }))
  const [guest] = await givenDevices(tenant, 'android', 1)
  if (!phone || !tablet || !guest) throw new Error('no devices')
  ok(await tenant.call('PATCH', `/v1/subscriptions/${phone.id}`, { optedIn: false }), 200)
  ok(await tenant.call('PATCH', `/v1/subscriptions/${guest.id}`, { optedIn: false }), 200)

  const content = {
    _default: 'en',
    en: { title: 'Hello', body: 'Plan {{ tags.plan }}, {{ data.order }}' },
    de: { title: 'Hallo', body: 'Plan {{ tags.plan }}, {{ data.order }}', url: 'https://shop.example/{{ data.order }}' },
  }
  const id = await sendCampaign(tenant, { content, data: { order: '17' }, inbox: true }, 'sending')
  await sendCampaign(tenant, { content, data: { order: '18' } }, 'sending')
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 3, sent: 1, skipped: 2 })

  const secret = (path: string) => tenant.call<Inbox>('GET', path)
  const item = {
    id,
    title: 'Hallo',
    body: 'Plan gold, 17',
    url: 'https://shop.example/17',
    data: { order: '17' },
    readAt: null,
    opened: false,
  }
  ok(await tenant.call('PATCH', `/v1/users/by-external-id/ann`, { tags: { plan: 'silver' } }), 200)
  const now = { ...item, body: 'Plan silver, 17' }
  expect(ok(await secret('/v1/users/by-external-id/ann/inbox'), 200)).toMatchObject({ items: [now], unread: 1, nextCursor: null })
  expect(ok(await secret(`/v1/users/${phone.userId}/inbox`), 200)).toMatchObject({ items: [now] })
  expect(ok(await secret(`/v1/subscriptions/${phone.id}/inbox?limit=1`), 200)).toMatchObject({ items: [now] })
  expect(ok(await tenant.admin<Inbox>('GET', `/users/${phone.userId}/inbox?limit=1`), 200)).toMatchObject({ items: [now], unread: 1 })

  // With the key that is in every app, a device's id alone opens only the inbox of somebody who has no name.
  const asDevice = (method: string, path: string, body?: unknown, token?: string) =>
    http<Inbox>(method, `${herald.baseUrl}/v1/subscriptions/${path}`, {
      headers: { 'x-app-key': tenant.publicKey, ...(token && { 'x-identity-token': token }) },
      body,
    })
  expect(ok(await asDevice('GET', `${guest.id}/inbox`), 200)).toMatchObject({ items: [{ id, title: 'Hello' }] })
  const identity = ok(await tenant.admin<{ secret: string }>('POST', '/identity-secret'), 201).secret
  for (const token of [undefined, identityToken(identity, 'bob'), identityToken(identity, 'ann', -60), 'nonsense'])
    expect((await asDevice('GET', `${phone.id}/inbox`, undefined, token)).status).toBe(403)
  expect((await asDevice('POST', `${phone.id}/inbox/read`, { all: true })).status).toBe(403)
  expect((await asDevice('DELETE', `${phone.id}/inbox/${id}`)).status).toBe(403)
  expect(ok(await asDevice('GET', `${phone.id}/inbox`, undefined, identityToken(identity, 'ann')), 200)).toMatchObject({ items: [now] })

  ok(await asDevice('POST', `${tablet.id}/inbox/read`, { ids: [id] }, identityToken(identity, 'ann')), 204)
  expect(ok(await secret('/v1/users/by-external-id/ann/inbox'), 200)).toMatchObject({ items: [{ readAt: expect.any(String) }], unread: 0 })

  // A device that moves takes nothing along.
  ok(await tenant.call('POST', `/v1/subscriptions/${tablet.id}/login`, { externalId: 'bob' }), 200)
  expect(ok(await secret('/v1/users/by-external-id/bob/inbox'), 200)).toMatchObject({ items: [], unread: 0 })
  ok(await tenant.call('DELETE', `/v1/users/${phone.userId}/inbox/${id}`), 204)
  expect(ok(await secret(`/v1/users/${phone.userId}/inbox`), 200).items).toEqual([])
  ok(await tenant.call('DELETE', '/v1/users/by-external-id/ann'), 204)
  expect((await secret('/v1/users/by-external-id/ann/inbox')).status).toBe(404)
})

// spec: inbox/sends, inbox/read
test.each([
  ['POST', '/v1/notifications', { target: { all: true }, silent: true, inbox: true }, 'inbox'],
  ['POST', '/v1/campaigns', { name: 'Inbox', silent: true, inbox: true }, 'inbox'],
  ['POST', '/v1/users/by-external-id/ann/inbox/read', {}, 'ids'],
  ['POST', '/v1/users/by-external-id/ann/inbox/read', { ids: ['1'.repeat(24)], all: true }, 'all'],
  ['POST', '/v1/users/by-external-id/ann/inbox/read', { ids: ['1'.repeat(24)], before: '2026-01-01T00:00:00Z' }, 'before'],
  ['POST', '/v1/users/by-external-id/ann/inbox/read', { ids: Array.from({ length: 101 }, () => '1'.repeat(24)) }, 'ids'],
  ['GET', '/v1/users/by-external-id/ann/inbox?limit=51', undefined, 'limit'],
])('%s %s with a wrong field names it: %j', async (method, path, body, field) => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'ann' }))
  const answer = await tenant.call<{ error: { details: { path: string }[] } }>(method, path, body)
  expect([answer.status, answer.body.error.details[0]?.path]).toEqual([422, field])
})
