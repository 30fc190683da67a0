import { eraseTrackerOfApp, readStats, recordOutcomes, reportQueued, trackEvents, verifyCampaign } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { noStats } from '@herald/contracts/stats'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { writeReport } from './store/reports.ts'
import { idBytes } from './store/ledger.ts'
import { mergeStripes } from './store/series.ts'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  reportOf,
  type Batch,
  type Campaign,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('tracker')
  await givenTracker({ databaseUrl, natsUrl })
  await givenTracker({ databaseUrl, natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: databaseUrl, poolSize: 2 }))
})

const outcomesIn = async (batch: Batch) => (await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })).recorded

async function rowsOf(campaigns: Campaign[]): Promise<number> {
  const ids = campaigns.map(({ campaignId }) => campaignId)
  const tables = ['engagements', 'counters', 'variant_counters', 'campaign_codes', 'curve_steps', 'settlements'] as const
  const ofApps = ['app_hours', 'app_hour_codes', 'app_days', 'app_day_codes'] as const
  const apps = campaigns.map(({ appId }) => appId)
  const bytes = ids.map((id) => Buffer.from(id, 'hex'))
  const counts = await Promise.all([
    db.selectFrom('ledger_batches').select('batch_no').where('campaign_id', 'in', bytes).execute(),
    ...tables.map((table) => db.selectFrom(table).select('campaign_id').where('campaign_id', 'in', ids).execute()),
    ...ofApps.map((table) => db.selectFrom(table).select('app_id').where('app_id', 'in', apps).execute()),
  ])
  return counts.flat().length
}

async function erase(appId: string): Promise<number> {
  let calls = 0
  await until(
    async () => {
      calls += 1
      return (await caller.call(eraseTrackerOfApp, { appId })).done
    },
    { what: 'the app to be gone' },
  )
  return calls
}

/** Makes several campaigns of one app, with outcomes, variants and reports. */
async function givenApp(campaignCount: number, pushes: number): Promise<Campaign[]> {
  const appId = newId()
  const campaigns = Array.from({ length: campaignCount }, () => ({ ...givenCampaign(), appId }))
  for (const campaign of campaigns) {
    // In a batch of at most 16 pushes each push has a row of its own, so these campaigns have many rows.
    const failed = givenOutcomes(pushes / 2, { variant: 'a', outcome: 'failed', code: 'timeout' })
    const batches = batchesOf(campaign, [...givenOutcomes(pushes / 2, { variant: 'a' }), ...failed], { size: 16 })
    await report(caller, campaign, batches)
    for (let from = 0; from < batches.length; from += 100)
      await caller.call(recordOutcomes, { batches: batches.slice(from, from + 100).map((batch) => outcomesOf(batch)) })
    await caller.call(trackEvents, { engagements: Array.from({ length: 5 }, () => givenEngagement(campaign, { variant: 'a' })) })
  }
  return campaigns
}

// spec: administration/delete-app
test('erasing an app takes several calls of at most 5,000 rows first; then none is left, others’ stay', async () => {
  const campaigns = await givenApp(3, 3_000)
  const [other] = (await givenApp(1, 10)) as [Campaign]
  const [day, platform] = ['2026-01-01', 'ios'] as const
  await db
    .insertInto('app_days')
    .values({ app_id: campaigns[0]?.appId ?? '', day, platform, ...noStats })
    .execute()
  const before = await rowsOf(campaigns)
  const { appId = '' } = campaigns[0] ?? {}

  expect(await caller.call(eraseTrackerOfApp, { appId })).toEqual({ done: false })
  expect(before - (await rowsOf(campaigns))).toBeLessThanOrEqual(5_000)
  expect(await erase(appId)).toBeGreaterThan(1)

  expect(await rowsOf(campaigns)).toBe(0)
  expect(await caller.call(readStats, other)).toMatchObject({ stats: { queued: 10, sent: 5, failed: 5 } })
  expect(await caller.call(eraseTrackerOfApp, { appId })).toEqual({ done: true })
})

test('a deleted app’s late outcomes and reports are answered but not written; other apps’ in the call count', async () => {
  const [campaign] = (await givenApp(1, 10)) as [Campaign]
  await erase(campaign.appId)
  const live = givenCampaign()
  const [late] = batchesOf(campaign, givenOutcomes(20)) as [Batch]
  const [alive] = batchesOf(live, givenOutcomes(5)) as [Batch]
  await report(caller, live, [alive])

  expect(await caller.call(recordOutcomes, { batches: [outcomesOf(late), outcomesOf(alive)] })).toEqual({ recorded: 5 })
  expect(await outcomesIn(late)).toBe(0)
  await report(caller, campaign, [late])
  expect(await caller.call(trackEvents, { engagements: [givenEngagement(campaign)] })).toEqual({ counted: 0 })

  expect(await rowsOf([campaign])).toBe(0)
  expect(await caller.call(readStats, live)).toEqual({ stats: { ...noStats, queued: 5, sent: 5 } })
})

test('when an app is deleted while outcomes and reports arrive, every call is answered, and no row is left', async () => {
  const campaigns = await givenApp(4, 100)
  let erasing = true
  const sending = campaigns.map(async (campaign) => {
    const made = batchesOf(campaign, givenOutcomes(100), { size: 16 })
    while (erasing) {
      const outcomes = givenOutcomes(50)
      const batches = batchesOf(campaign, outcomes, { size: 25, no: made.length + 1 })
      made.push(...batches)
      const engagements = outcomes.map(({ subscriptionId }) => givenEngagement(campaign, { subscriptionId }))
      // Each call is repeated until it is answered.
      for (const call of [
        () => caller.call(reportQueued, { reports: [reportOf(campaign, made, { told: made.slice(0, -2) })] }),
        () => caller.call(recordOutcomes, { batches: batches.map((batch) => outcomesOf(batch)) }),
        () => caller.call(trackEvents, { engagements }),
      ])
        await until(
          () =>
            call().then(
              () => true,
              () => false,
            ),
          { what: 'an answer' },
        )
    }
  })
  await erase(campaigns[0]?.appId ?? '').finally(() => (erasing = false))
  await Promise.all(sending)

  expect(await rowsOf(campaigns)).toBe(0)
})

test('totals that a transaction began to write before the app was deleted, and commits during the erasure, are deleted too', async () => {
  const campaign = givenCampaign()
  const [written, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reporting = db.transaction().execute(async (trx) => {
    const totals = { ...reportOf(campaign, batchesOf(campaign, givenOutcomes(5))), hasRanges: false }
    await writeReport(trx, [totals], [], { retentionDays: 90, unheard: true })
    written.resolve()
    await release.promise
  })
  await written.promise

  const erasing = erase(campaign.appId)
  const waits = until(async () => (await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(db)).rows.length > 0)
  await Promise.race([erasing, waits])
  release.resolve()
  await Promise.all([reporting, erasing])

  expect(await rowsOf([campaign])).toBe(0)
})

test('a row of the ledger that is updated while the erasure waits for it is deleted too', async () => {
  const campaign = givenCampaign()
  await report(caller, campaign, batchesOf(campaign, givenOutcomes(40)))
  const [written, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const recording = db.transaction().execute(async (trx) => {
    await sql`update ledger_batches set sent = sent + 1 where campaign_id = ${idBytes(campaign.campaignId)}`.execute(trx)
    written.resolve()
    await release.promise
  })
  await written.promise

  const erasing = erase(campaign.appId)
  await until(async () => (await sql`select from pg_locks where locktype = 'transactionid' and not granted`.execute(db)).rows.length > 0)
  release.resolve()
  await Promise.all([recording, erasing])

  expect(await rowsOf([campaign])).toBe(0)
})

test('counters of hours that are merged while the erasure waits for them are deleted too', async () => {
  const [campaign] = (await givenApp(1, 10)) as [Campaign]
  await sql`update app_hours set hour = hour - interval '3 hours' where app_id = ${campaign.appId}`.execute(db)
  await sql`update app_hour_codes set hour = hour - interval '3 hours' where app_id = ${campaign.appId}`.execute(db)
  const [written, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const merging = db.transaction().execute(async (trx) => {
    expect(await mergeStripes(trx)).toBeGreaterThan(0)
    written.resolve()
    await release.promise
  })
  await written.promise

  const erasing = erase(campaign.appId)
  await until(async () => (await sql`select from pg_locks where locktype = 'transactionid' and not granted`.execute(db)).rows.length > 0)
  release.resolve()
  await Promise.all([merging, erasing])

  expect(await rowsOf([campaign])).toBe(0)
})

test('a campaign of an app that is being deleted is not verified, since some of its rows may be gone', async () => {
  const [campaign] = (await givenApp(1, 10)) as [Campaign]
  await db.insertInto('erased_apps').values({ app_id: campaign.appId }).execute()
  expect(await caller.call(verifyCampaign, campaign)).toBeNull()
})
