import { eraseTrackerOfApp, hearTrackerListeners, recordOutcomes, trackEvents } from '@herald/contracts/calls/tracker'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { announcements } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { openDatabase, transact } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { idBytes } from './store/ledger.ts'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  givenSettled,
} from './testing/given-tracker.ts'

/** An event is announced when an endpoint asks for it, from the moment when the tracker has answered webhooks' message about the endpoint. */

const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
const databaseUrl = database.url('tracker')
const trackers = [await givenTracker({ databaseUrl, natsUrl }), await givenTracker({ databaseUrl, natsUrl })]
const { db } = await openDatabase<Tables>(testService('tracker', {}), { url: databaseUrl, poolSize: 4 })
const [caller, gateway, webhooks] = await Promise.all([
  givenPeer('dispatcher', natsUrl),
  givenPeer('gateway', natsUrl),
  givenPeer('webhooks', natsUrl),
])
const heard: Event[] = []
webhooks.consume(announcements, { atOnce: 50 }, async ({ events }) => void heard.push(...events))

const of = (appId: string) => heard.filter((event) => event.appId === appId)
const announcedOf = async (appId: string) =>
  (await db.selectFrom('announcements').select('body').execute()).filter(({ body }) => body.includes(appId))

// spec: webhooks/announced-to-listeners
test('an outcome whose event no endpoint asks for is counted, and its event is neither stored nor published', async () => {
  const [quiet, loud] = [givenCampaign(), givenCampaign()]
  await webhooks.call(hearTrackerListeners, { listeners: [{ appId: loud.appId, version: 1, eventTypes: ['*'] }] })
  for (const campaign of [quiet, loud]) {
    await givenSettled(caller, campaign, givenOutcomes(3, { outcome: 'failed', code: 'payload_invalid' }))
    await gateway.call(trackEvents, { engagements: [givenEngagement(campaign)] })
  }

  // The events of the second app were published later and have arrived, so no event of the first app is still on its way.
  await until(() => of(loud.appId).length === 5, { what: 'every event of the app that is listened to' })
  expect(of(quiet.appId)).toEqual([])
  expect(await announcedOf(quiet.appId)).toEqual([])
  const scrapes = await Promise.all(trackers.map(({ metrics }) => metrics.text()))
  const counted = scrapes.map((text) => Number(/code="payload_invalid"\} (\d+)/.exec(text)?.[1] ?? 0))
  expect(counted.reduce((sum, count) => sum + count)).toBe(6)
})

test('only the event types that an endpoint of the app asks for are announced', async () => {
  const campaign = givenCampaign()
  const eventTypes = ['notification.failed' as const, 'campaign.completed' as const]
  await webhooks.call(hearTrackerListeners, { listeners: [{ appId: campaign.appId, version: 1, eventTypes }] })
  const failed = givenOutcomes(2, { outcome: 'failed', code: 'timeout' })
  await givenSettled(caller, campaign, [...givenOutcomes(3), ...failed])

  await until(() => of(campaign.appId).length === 3)
  expect(
    of(campaign.appId)
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(['campaign.completed', 'notification.failed', 'notification.failed'])
})

test('the tracker answers webhooks only when every transaction that may not know the new endpoint has ended', async () => {
  const appId = newId()
  const going = Promise.withResolvers<void>()
  const reading = Promise.withResolvers<boolean>()
  const earlier = transact(db, async (trx) => {
    reading.resolve((await findListeners(trx, [appId]))(appId, 'notification.sent'))
    await going.promise
  })
  expect(await reading.promise).toBe(false)

  let isAnswered = false
  const told = webhooks
    .call(hearTrackerListeners, { listeners: [{ appId, version: 1, eventTypes: ['*'] }] })
    .then(() => (isAnswered = true))
  await until(
    async () => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(db)
      return rows[0]?.waiting === 1
    },
    { what: 'the telling waits' },
  )
  expect(isAnswered).toBe(false)
  going.resolve()
  await Promise.all([earlier, told])
  expect(await transact(db, async (trx) => (await findListeners(trx, [appId]))(appId, 'notification.sent'))).toBe(true)
})

test('when a transaction with an app’s listeners lasts over 2 s, webhooks’ call is refused, and events go on', async () => {
  const campaign = givenCampaign()
  const going = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const stuck = transact(db, async (trx) => {
    await findListeners(trx, [campaign.appId])
    begun.resolve()
    await going.promise
  })
  await begun.promise
  const listeners = [{ appId: campaign.appId, version: 1, eventTypes: ['*' as const] }]
  await expect(webhooks.call(hearTrackerListeners, { listeners })).rejects.toMatchObject({ code: 'queue_unavailable' })

  await report(caller, campaign, [])
  await until(() => of(campaign.appId).length === 1, { what: 'events of the same app, while it goes on' })
  going.resolve()
  await stuck
})

// spec: webhooks/announced-to-listeners
test('every push that ends after webhooks was answered is announced, also while outcomes keep coming', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(2_000), { size: 25 })
  await report(caller, campaign, batches, { fannedOut: false })
  const settledNow = async () => {
    const rows = await db
      .selectFrom('ledger_batches')
      .select(['batch_no', 'sent'])
      .where('campaign_id', '=', idBytes(campaign.campaignId))
      .execute()
    const settled = new Set(rows.flatMap(({ batch_no, sent }) => (sent === 25 ? [batch_no] : [])))
    return batches.flatMap(({ no, pushes }) => (settled.has(no) ? pushes.map(({ subscriptionId }) => subscriptionId) : []))
  }

  // The last ten batches end after the answer for certain. Without them a busy machine may have recorded everything before the answer comes.
  const answered = Promise.withResolvers<void>()
  const recorded = batches.map(async (batch, index) => {
    if (index >= batches.length - 10) await answered.promise
    await until(async () => (await settledNow()).length >= Math.floor(index / 10) * 100, { what: 'its turn' })
    await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
  })
  await until(async () => (await settledNow()).length > 400)
  await webhooks.call(hearTrackerListeners, { listeners: [{ appId: campaign.appId, version: 1, eventTypes: ['*'] }] })
  const before = new Set(await settledNow())
  answered.resolve()
  await Promise.all(recorded)

  const after = batches.flatMap(({ pushes }) => pushes.map(({ subscriptionId }) => subscriptionId)).filter((id) => !before.has(id))
  expect(after.length).toBeGreaterThan(0)
  const told = () => new Set(of(campaign.appId).map(({ subscriptionId }) => subscriptionId))
  await until(() => after.every((id) => told().has(id)), { what: 'every event since the answer' })
})

test('a message about endpoints that arrives after a newer one changes nothing', async () => {
  const appId = newId()
  const tell = (version: number, eventTypes: ('*' | 'notification.sent')[]) =>
    webhooks.call(hearTrackerListeners, { listeners: [{ appId, version, eventTypes }] })
  const isHeard = async () => transact(db, async (trx) => (await findListeners(trx, [appId]))(appId, 'notification.sent'))
  await tell(2, ['notification.sent'])
  await tell(1, [])
  expect(await isHeard()).toBe(true)
  await tell(3, [])
  await tell(2, ['*'])
  expect(await isHeard()).toBe(false)
})

test('a deleted app’s listened types are deleted, and not stored again when webhooks repeats them', async () => {
  const appId = newId()
  const listeners = [{ appId, version: 1, eventTypes: ['*' as const] }]
  await webhooks.call(hearTrackerListeners, { listeners })
  await gateway.call(eraseTrackerOfApp, { appId })
  await webhooks.call(hearTrackerListeners, { listeners })
  const { rows } = await sql`select from listeners where app_id = ${appId}`.execute(db)
  expect(rows).toEqual([])
})
