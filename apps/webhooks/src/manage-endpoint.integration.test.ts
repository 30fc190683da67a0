import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  readWebhook,
  rotateWebhookSecret,
} from '@herald/contracts/calls/webhooks'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { openLog } from '@herald/service/log'
import { openHousekeeping } from './keep-house.ts'
import { insertBodies } from './store/bodies.ts'
import { startReceiver } from './testing/receiver.ts'
import { givenEvent, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
const privateNames = new Map([['inside.example', '10.0.0.1']])
beforeAll(async () => {
  rig = await openRig()
  await rig.start(
    { WEBHOOK_ALLOW_PRIVATE: 'false' },
    { resolve: async (host) => [{ address: privateNames.get(host) ?? '93.184.215.14', family: 4 }] },
  )
})
const keepHouse = () =>
  openHousekeeping(
    { db: rig.db, log: openLog('webhooks', 'silent'), retention: { logDays: 30, deliveredHours: 24, undeliveredDays: 7 } },
    { isAway: () => false },
  )()
const given = (url = 'https://receiver.example/hook') => ({ url, eventTypes: ['*' as const], description: null })

// spec: webhooks/secret, webhooks/endpoint-fields
test('a new endpoint has a secret that is shown once and stored sealed', async () => {
  const appId = newId()
  const { secret, ...webhook } = await rig.gateway.call(createWebhook, { appId, webhook: given() })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/)
  expect(webhook).toMatchObject({
    appId,
    url: 'https://receiver.example/hook',
    description: null,
    eventTypes: ['*'],
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    consecutiveFailures: 0,
    secretHint: secret.slice(-4),
    lastDeliveryAt: null,
    lastStatus: null,
    lastError: null,
    waitingEvents: 0,
    droppedEvents: 0,
  })
  expect(await rig.gateway.call(readWebhook, { appId, webhookId: webhook.id })).toEqual(webhook)
  const stored = JSON.stringify(await rig.db.selectFrom('endpoints').selectAll().where('id', '=', webhook.id).execute())
  expect(stored).not.toContain(secret)

  const rotated = await rig.gateway.call(rotateWebhookSecret, { appId, webhookId: webhook.id })
  expect(rotated.secret).not.toBe(secret)
  expect((await rig.gateway.call(readWebhook, { appId, webhookId: webhook.id })).secretHint).toBe(rotated.secret.slice(-4))
})

// spec: webhooks/url-at-save
test.each([
  ['http://receiver.example/'],
  ['https://localhost/'],
  ['https://0x7f.1/'],
  ['https://a:b@receiver.example/'],
  ['https://inside.example/'],
])('the URL %s is refused when an endpoint is made or changed, and the error names url', async (url) => {
  const appId = newId()
  const refused = { code: 'invalid_body', details: [{ path: 'url' }] }
  await expect(rig.gateway.call(createWebhook, { appId, webhook: given(url) })).rejects.toMatchObject(refused)
  const { id } = await rig.gateway.call(createWebhook, { appId, webhook: given() })
  await expect(rig.gateway.call(changeWebhook, { appId, webhookId: id, changes: { url } })).rejects.toMatchObject(refused)
})

// spec: limits/foreign-ids
test('an endpoint of another app and a deleted endpoint are not found', async () => {
  const appId = newId()
  const { id } = await rig.gateway.call(createWebhook, { appId, webhook: given() })
  await expect(rig.gateway.call(readWebhook, { appId: newId(), webhookId: id })).rejects.toMatchObject({ code: 'not_found' })
  await rig.gateway.call(deleteWebhook, { appId, webhookId: id })
  for (const call of [readWebhook, deleteWebhook, rotateWebhookSecret])
    await expect(rig.gateway.call<{ appId: string; webhookId: string }, unknown>(call, { appId, webhookId: id })).rejects.toMatchObject({
      code: 'not_found',
    })
  expect(await rig.gateway.call(listWebhooks, { appId, limit: 10 })).toEqual({ items: [], nextCursor: null })
})

// spec: limits/lists
test('two pages of a list of endpoints have each endpoint once, and a wrong cursor is refused', async () => {
  const appId = newId()
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.unshift((await rig.gateway.call(createWebhook, { appId, webhook: given() })).id)
  const first = await rig.gateway.call(listWebhooks, { appId, limit: 3 })
  const second = await rig.gateway.call(listWebhooks, { appId, limit: 3, cursor: first.nextCursor ?? '' })
  expect([...first.items, ...second.items].map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(second.nextCursor).toBeNull()
  await expect(rig.gateway.call(listWebhooks, { appId, limit: 3, cursor: 'bad' })).rejects.toMatchObject({ code: 'invalid_body' })
})

// spec: webhooks/endpoint-limit
test('an app has at most 50 endpoints', async () => {
  const appId = newId()
  for (let n = 0; n < 50; n += 1) await rig.gateway.call(createWebhook, { appId, webhook: given() })
  await expect(rig.gateway.call(createWebhook, { appId, webhook: given() })).rejects.toMatchObject({ code: 'limit_reached' })
})

// spec: webhooks/url-at-send
test('when an endpoint’s name later leads to a private address, every attempt is blocked and nothing is posted', async () => {
  const trap = await startReceiver()
  const webhook = await rig.gateway.call(createWebhook, { appId: newId(), webhook: given(`https://turning.example:${trap.port}/`) })
  privateNames.set('turning.example', '127.0.0.1')
  await rig.announce([givenEvent(webhook.appId)])
  await until(async () => (await rig.read(webhook)).consecutiveFailures === 1)
  expect(await rig.read(webhook)).toMatchObject({ lastStatus: null, lastError: 'blocked_address' })
  const { items } = await rig.gateway.call(listDeliveries, { appId: webhook.appId, webhookId: webhook.id, limit: 1 })
  expect(items[0]?.attempts.map(({ error }) => error)).toEqual(Array(5).fill('blocked_address'))
  expect(trap.received).toEqual([])
})

// spec: webhooks/log, webhooks/bodies
test('the delivery log has pages; bodies go after their retention, entries after 30 days, all with their endpoint', async () => {
  const appId = newId()
  const { id: webhookId } = await rig.gateway.call(createWebhook, { appId, webhook: given() })
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const ended = [
    { id: `dlv_${newId()}`, state: 'delivered' as const, hours: 23 },
    { id: `dlv_${newId()}`, state: 'delivered' as const, hours: 25 },
    { id: `dlv_${newId()}`, state: 'failed' as const, hours: 26 },
    { id: `dlv_${newId()}`, state: 'failed' as const, hours: 24 * 7 + 1 },
    { id: `dlv_${newId()}`, state: 'delivered' as const, hours: 24 * 30 + 1 },
  ]
  for (const { id, state, hours } of ended) {
    const at = hoursAgo(hours)
    const key = { appId, types: '*' }
    const [bodyId = 0] = await insertBodies(rig.db, [{ key, userIds: [], eventCount: 1, events: Buffer.from('[]') }])
    const ends = { created_at: at, ended_at: at, due_at: null, lease_until: null, body_id: bodyId }
    await rig.db
      .insertInto('deliveries')
      .values({ id, endpoint_id: webhookId, state, event_count: 1, ...ends })
      .execute()
  }
  await keepHouse()

  const first = await rig.gateway.call(listDeliveries, { appId, webhookId, limit: 3 })
  const second = await rig.gateway.call(listDeliveries, { appId, webhookId, limit: 3, cursor: first.nextCursor ?? '' })
  expect([...first.items, ...second.items].map(({ id, replayable }) => [id, replayable])).toEqual([
    [ended[0]?.id, true],
    [ended[1]?.id, false],
    [ended[2]?.id, true],
    [ended[3]?.id, false],
  ])
  const kept = await rig.db
    .selectFrom('bodies')
    .innerJoin('deliveries', 'deliveries.body_id', 'bodies.id')
    .select('deliveries.id')
    .where('bodies.app_id', '=', appId)
    .execute()
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set([ended[0]?.id, ended[2]?.id]))
  expect(await rig.db.selectFrom('bodies').select('id').where('app_id', '=', appId).execute()).toHaveLength(2)

  await rig.gateway.call(deleteWebhook, { appId, webhookId })
  await rig.db
    .updateTable('endpoints')
    .set({ deleted_at: hoursAgo(1) })
    .where('id', '=', webhookId)
    .execute()
  await keepHouse()
  expect(await rig.db.selectFrom('endpoints').select('id').where('id', '=', webhookId).execute()).toEqual([])
  expect(await rig.db.selectFrom('deliveries').select('id').where('endpoint_id', '=', webhookId).execute()).toEqual([])
})
