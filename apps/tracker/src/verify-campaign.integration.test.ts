import { readStats, recordOutcomes, trackEvents, verifyCampaign } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { verifyCampaigns } from './verify-campaign.ts'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcome,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  givenSettled,
  type Campaign,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

/** A settled experiment with two variants, outcomes of every kind, and reports of devices. */
let campaign: Campaign
beforeEach(async () => {
  campaign = givenCampaign()
  const outcomes = [
    ...givenOutcomes(4, { variant: 'a' }),
    ...givenOutcomes(2, { variant: 'b' }),
    givenOutcome({ variant: 'b', outcome: 'failed', code: 'timeout' }),
    givenOutcome({ variant: 'b', outcome: 'skipped', code: 'expired' }),
  ]
  await givenSettled(caller, campaign, outcomes)
  await caller.call(trackEvents, {
    engagements: outcomes
      .slice(0, 5)
      .map(({ variant, subscriptionId }) => givenEngagement(campaign, { kind: 'delivered', variant, subscriptionId })),
  })
})
const verify = () => caller.call(verifyCampaign, campaign)

// spec: tracking/verified, administration/verify
test('a recount agrees with the counters of the campaign and of its variants', async () => {
  const stats = (await caller.call(readStats, campaign))?.stats
  expect(stats).toMatchObject({ queued: 8, sent: 6, failed: 1, skipped: 1, delivered: 5 })
  expect(stats?.variants).toMatchObject({ a: { sent: 4, delivered: 4 }, b: { sent: 2, failed: 1, skipped: 1, delivered: 1 } })
  expect(await verify()).toEqual({ campaignId: campaign.campaignId, agrees: true, difference: 0, counters: stats, ledger: stats })
})

test('a recount also agrees while a campaign is being sent and some pushes have no outcome', async () => {
  const sending = givenCampaign()
  const batches = batchesOf(sending, givenOutcomes(100))
  await report(caller, sending, batches, { fannedOut: false })
  await caller.call(recordOutcomes, { batches: batches.map((batch) => outcomesOf(batch, 0, 3)) })
  expect(await caller.call(verifyCampaign, sending)).toMatchObject({
    agrees: true,
    counters: { queued: 100 },
    ledger: { queued: 100, sent: 3 },
  })
})

test('a recount covers every row of a large campaign, also when small campaigns are counted with it', async () => {
  const [rows, large] = [givenCampaign(), givenCampaign()]
  await givenSettled(caller, rows, givenOutcomes(2_100, { variant: 'b' }), { size: 16 })
  await givenSettled(caller, large, [...givenOutcomes(700), ...givenOutcomes(300, { outcome: 'skipped', code: 'expired' })])
  const verified = await verifyCampaigns(
    { db, retentionDays: 90 },
    [campaign, rows, large].map(({ campaignId }) => campaignId),
  )
  const inOrder = verified.map(({ agrees, ledger: { queued, sent, skipped } }) => ({ agrees, queued, sent, skipped }))
  expect(inOrder.toSorted((one, other) => one.queued - other.queued)).toEqual([
    { agrees: true, queued: 8, sent: 6, skipped: 1 },
    { agrees: true, queued: 1_000, sent: 700, skipped: 300 },
    { agrees: true, queued: 2_100, sent: 2_100, skipped: 0 },
  ])
})

test('every recount agrees while outcomes and reports are being written', async () => {
  const busy = givenCampaign()
  const batches = batchesOf(busy, givenOutcomes(4_000, { variant: 'a' }), { size: 100 })
  await report(caller, busy, batches)
  let writing = true
  const writes = Promise.all(
    batches.map(async (batch) => {
      await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
      const engagements = batch.pushes.map(({ subscriptionId }) => givenEngagement(busy, { variant: 'a', subscriptionId }))
      await caller.call(trackEvents, { engagements })
    }),
  ).finally(() => (writing = false))
  do expect(await caller.call(verifyCampaign, busy)).toMatchObject({ agrees: true })
  while (writing)
  await writes
  expect(await caller.call(verifyCampaign, busy)).toMatchObject({ agrees: true, ledger: { sent: 4_000, opened: 4_000 } })
})

// spec: tracking/verified
test('a recount finds a wrong counter, and the answer has both counts', async () => {
  await db
    .updateTable('counters')
    .set({ sent: sql<number>`sent + 2` })
    .where('campaign_id', '=', campaign.campaignId)
    .execute()
  expect(await verify()).toMatchObject({ agrees: false, difference: 2, counters: { sent: 8 }, ledger: { sent: 6 } })
})

test('a recount finds a wrong counter of a variant', async () => {
  await db
    .updateTable('variant_counters')
    .set({ delivered: 7 })
    .where('campaign_id', '=', campaign.campaignId)
    .where('variant', '=', 'a')
    .execute()
  expect(await verify()).toMatchObject({ agrees: false, difference: 3, counters: { variants: { a: { delivered: 7 } } } })
})

test('a recount finds a changed outcome, a lost outcome and a deleted row of the ledger', async () => {
  const rows = () =>
    db.selectFrom('ledger_batches').selectAll().where('campaign_id', '=', Buffer.from(campaign.campaignId, 'hex')).orderBy('place')
  const [first, second, last] = await rows()
    .execute()
    .then((all) => [all[0], all[1], all.at(-1)])
  if (!first || !second || !last) throw new Error('no rows')
  const change = (place: number) => db.updateTable('ledger_batches').where('campaign_id', '=', first.campaign_id).where('place', '=', place)
  await change(first.place)
    .set({ ends: first.ends.replace('"sent"', '"failed"') })
    .execute()
  // One `sent` too few and one `failed` too many, in the campaign and in its variant: a difference of four.
  expect(await verify()).toMatchObject({ agrees: false, difference: 4, ledger: { sent: 5, failed: 2 } })
  await change(first.place).set({ ends: first.ends }).execute()

  await change(second.place)
    .set({ slots: Buffer.alloc(1) })
    .execute()
  expect(await verify()).toMatchObject({ agrees: false, difference: 2, ledger: { queued: 8, sent: 5 } })
  await change(second.place).set({ slots: second.slots }).execute()
  expect(await verify()).toMatchObject({ agrees: true })

  await db.deleteFrom('ledger_batches').where('campaign_id', '=', first.campaign_id).where('place', '=', last.place).execute()
  expect(await verify()).toMatchObject({ agrees: false, ledger: { queued: 7, skipped: 0 } })
})

test('a recount finds that the row of a counted report is missing', async () => {
  await db.deleteFrom('engagements').where('campaign_id', '=', Buffer.from(campaign.campaignId, 'hex')).where('variant', '=', 'b').execute()
  expect(await verify()).toMatchObject({ agrees: false, difference: 2, ledger: { delivered: 4 } })
})

// spec: administration/verify
test('a campaign that is unknown, of another app or past the ledger’s retention is not verified', async () => {
  expect(await caller.call(verifyCampaign, givenCampaign())).toBeNull()
  expect(await caller.call(verifyCampaign, { ...campaign, appId: newId() })).toBeNull()
  await db
    .updateTable('counters')
    .set({ day: sql`(now() at time zone 'utc')::date - 91` })
    .where('campaign_id', '=', campaign.campaignId)
    .execute()
  expect(await verify()).toBeNull()
})
