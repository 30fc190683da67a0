import { verifyWebhook } from '@herald/auth/webhook-signature'
import { eraseUser, listDeliveries, readDelivery } from '@herald/contracts/calls/webhooks'
import { newId } from '@herald/contracts/ids'
import { looksOf } from '@herald/testing/plans'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listDeliveries as listThem } from './manage-delivery.ts'
import type { Tables } from './store/tables.ts'
import { startReceiver } from './testing/receiver.ts'
import { givenEvent, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
  await rig.start()
})

type Asked = { state?: 'pending' | 'delivered' | 'failed' | 'erased'; from?: string; to?: string }
async function walk(webhook: { appId: string; id: string }, asked: Asked, limit: number) {
  const found: { id: string; state: string; createdAt: string }[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await rig.gateway.call(listDeliveries, {
      appId: webhook.appId,
      webhookId: webhook.id,
      limit,
      ...asked,
      ...(cursor === undefined ? {} : { cursor }),
    })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    found.push(...page.items)
    cursor = page.nextCursor
  }
  return found
}

/** Writes ended deliveries, one for each of the last `count` minutes. Every tenth has failed, and the three oldest were erased. */
const fill = (endpointId: string, count: number) =>
  sql`
    insert into deliveries (id, endpoint_id, state, event_count, created_at, ended_at)
    select 'dlv_' || substr(md5(${endpointId} || n), 1, 24), ${endpointId}, case when n > ${count} - 3 then 'erased' when n % 10 = 0 then 'failed' else 'delivered' end, 1,
      date_trunc('milliseconds', now() - n * interval '1 minute'), now()
    from generate_series(1, ${count}::int) as n`.execute(rig.db)

// spec: webhooks/read-delivery
test('a delivery is read with its attempts and exactly the bytes that were posted', async () => {
  const receiver = await startReceiver()
  const webhook = await rig.givenWebhook(`${receiver.url}/read`)
  const event = givenEvent(webhook.appId)
  rig.externalIds.set(event.userId ?? '', 'Grüße "7"')
  await rig.announce([event])
  const [posted] = await until(() => receiver.received.length > 0 && receiver.received)
  const at = { appId: webhook.appId, webhookId: webhook.id, deliveryId: posted?.id ?? '' }

  const read = await until(async () => {
    const delivery = await rig.gateway.call(readDelivery, at)
    return delivery.state === 'delivered' && delivery
  })
  expect(read).toMatchObject({ id: posted?.id, eventCount: 1, replayable: true, attempts: [{ status: 204, error: null }] })
  expect(read.body).toBe(posted?.body)
  expect(verifyWebhook(webhook.secret, String(posted?.headers['x-service-signature']), read.body ?? '', new Date())).toEqual({ ok: true })

  const notFound = { code: 'not_found' }
  await expect(rig.gateway.call(readDelivery, { ...at, appId: newId() })).rejects.toMatchObject(notFound)
  await expect(rig.gateway.call(readDelivery, { ...at, deliveryId: 'dlv_nobody' })).rejects.toMatchObject(notFound)
  const other = await rig.givenWebhook(`${receiver.url}/other`, { appId: webhook.appId })
  await expect(rig.gateway.call(readDelivery, { ...at, webhookId: other.id })).rejects.toMatchObject(notFound)

  await rig.gateway.call(eraseUser, { appId: webhook.appId, userId: event.userId ?? '' })
  expect(await rig.gateway.call(readDelivery, at)).toMatchObject({ id: posted?.id, replayable: false, body: null })
})

// spec: webhooks/log
test('deliveries can be filtered by state and time, and pages of 1, 7 or 200 show each delivery once', async () => {
  const webhook = await rig.givenWebhook('https://127.0.0.1:1/')
  await fill(webhook.id, 200)
  const everything = await walk(webhook, {}, 200)
  expect(everything).toHaveLength(200)
  const [from, to] = [everything[149]?.createdAt ?? '', everything[49]?.createdAt ?? '']
  for (const limit of [1, 7, 200]) {
    expect(await walk(webhook, {}, limit)).toEqual(everything)
    expect(await walk(webhook, { state: 'failed' }, limit)).toEqual(everything.filter(({ state }) => state === 'failed'))
    expect(await walk(webhook, { from, to }, limit)).toEqual(everything.slice(50, 150))
    expect(await walk(webhook, { state: 'failed', from, to }, limit)).toEqual(
      everything.slice(50, 150).filter(({ state }) => state === 'failed'),
    )
  }
  expect(await walk(webhook, { state: 'pending' }, 10)).toEqual([])
})

// spec: webhooks/log
test('a page reads a bounded part of a long delivery log, with each tried filter, and pages reach rare deliveries', async () => {
  const webhook = await rig.givenWebhook('https://127.0.0.1:1/')
  const other = await rig.givenWebhook('https://127.0.0.1:1/', { appId: webhook.appId })
  await fill(webhook.id, 30_000)
  await sql`
    insert into deliveries (id, endpoint_id, state, event_count, created_at, ended_at)
    select 'dlv_' || substr(md5(${other.id} || n), 1, 24), ${other.id}, 'failed', 1, now() - n * interval '1 minute', now() from generate_series(1, 30000) as n`.execute(
    rig.db,
  )
  await sql`analyze deliveries`.execute(rig.db)
  const at = { appId: webhook.appId, webhookId: webhook.id, limit: 20 }
  for (const asked of [
    {},
    { state: 'failed' },
    { state: 'erased' },
    { from: new Date(Date.now() - 86_400_000).toISOString() },
    { to: new Date(Date.now() - 20 * 86_400_000).toISOString() },
  ] as const) {
    const looks = await looksOf<Tables>(rig.environment['DATABASE_URL_WEBHOOKS'] ?? '', (db) => listThem({ db }, { ...at, ...asked }))
    const pages = looks.reduce((sum, look) => sum + look.pages, 0)
    expect({ asked, scanned: looks.flatMap(({ scanned }) => scanned), isBounded: pages < 6_000 }).toEqual({
      asked,
      scanned: [],
      isBounded: true,
    })
  }
  expect(await walk(webhook, { state: 'erased' }, 20)).toHaveLength(3)
})
