import { findSettled, listStats, readProgress, readStats, recordOutcomes, reportQueued, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { noStats } from '@herald/contracts/stats'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import {
  batchOf,
  givenCampaign,
  givenEngagement,
  givenOutcome,
  givenOutcomes,
  givenPeer,
  givenTracker,
  totalsOf,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']
let tracker: Awaited<ReturnType<typeof givenTracker>>

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  tracker = await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

test('progress shows by platform how much is queued and how much of it has an outcome, until all has', async () => {
  const campaign = givenCampaign()
  const totals = { ...totalsOf(campaign, 3, false), byPlatform: { ios: 3, android: 2, web: 1 } }
  await caller.call(reportQueued, totals)
  const android = batchOf(campaign, givenOutcomes(2, { outcome: 'failed', code: 'timeout' }), { platform: 'android' })
  const web = batchOf(campaign, [givenOutcome({ outcome: 'skipped', code: 'silent_web' })], { platform: 'web' })
  await caller.call(recordOutcomes, { batches: [android, web, batchOf(campaign, givenOutcomes(2))] })
  await caller.call(recordOutcomes, { batches: [android, web] })

  expect(await caller.call(readProgress, campaign)).toEqual({
    stats: { ...noStats, queued: 6, sent: 2, failed: 2, skipped: 1 },
    byPlatform: { ios: { queued: 3, settled: 2 }, android: { queued: 2, settled: 2 }, web: { queued: 1, settled: 1 } },
    fannedOut: false,
    settled: false,
  })

  await caller.call(reportQueued, { ...totals, fannedOut: true })
  expect(await caller.call(readProgress, campaign)).toMatchObject({ fannedOut: true, settled: false })
  await caller.call(recordOutcomes, { batches: [batchOf(campaign, givenOutcomes(1))] })
  expect(await caller.call(readProgress, campaign)).toMatchObject({ byPlatform: { ios: { queued: 3, settled: 3 } }, settled: true })

  expect(await caller.call(readProgress, { ...campaign, appId: newId() })).toBeNull()
  expect(await caller.call(readProgress, givenCampaign())).toBeNull()
})

test('statistics of several campaigns of an app come at once, variants too; others are not in it', async () => {
  const [first, second, foreign] = [givenCampaign(), givenCampaign(), givenCampaign()]
  const ofApp = [first, { ...second, appId: first.appId }]
  for (const campaign of [...ofApp, foreign]) await caller.call(reportQueued, totalsOf(campaign, 5))
  await caller.call(recordOutcomes, { batches: [batchOf(first, givenOutcomes(2, { variant: 'a' }))] })

  const campaignIds = [first, second, foreign, givenCampaign()].map(({ campaignId }) => campaignId)
  expect(await caller.call(listStats, { appId: first.appId, campaignIds })).toEqual({
    stats: {
      [first.campaignId]: (await caller.call(readStats, first))?.stats,
      [second.campaignId]: { ...noStats, queued: 5 },
    },
  })
})

test('which pushes have an outcome is found without knowing the day; nothing past the ledger’s retention', async () => {
  const campaign = givenCampaign()
  await caller.call(reportQueued, totalsOf(campaign, 5))
  const settled = givenOutcomes(3)
  await caller.call(recordOutcomes, { batches: [batchOf(campaign, settled)] })
  const subscriptionIds = [...settled.map(({ subscriptionId }) => subscriptionId), newId()]
  const find = async () => (await caller.call(findSettled, { campaignId: campaign.campaignId, subscriptionIds })).subscriptionIds

  expect((await find()).toSorted()).toEqual(subscriptionIds.slice(0, 3).toSorted())
  expect(await caller.call(findSettled, { campaignId: newId(), subscriptionIds })).toEqual({ subscriptionIds: [] })
  await db
    .updateTable('counters')
    .set({ day: sql`(now() at time zone 'utc')::date - 91` })
    .where('campaign_id', '=', campaign.campaignId)
    .execute()
  expect(await find()).toEqual([])
})

test('a scrape tells outcomes and reports as they were committed, repeats not, and for how long what is due has waited', async () => {
  const campaign = givenCampaign()
  await caller.call(reportQueued, totalsOf(campaign, 9, false))
  const batch = batchOf(campaign, [
    ...givenOutcomes(4, { outcome: 'failed', code: 'payload_invalid', providerCode: '400' }),
    ...givenOutcomes(3, { outcome: 'skipped', code: 'quiet_hours', attempts: 0 }),
  ])
  const opened = givenEngagement(campaign, { kind: 'dismissed' })
  for (let times = 0; times < 2; times += 1) {
    await caller.call(recordOutcomes, { batches: [{ ...batch, platform: 'android' }] })
    await caller.call(trackEvents, { engagements: [opened] })
  }
  await db
    .insertInto('settlements')
    .values({ campaign_id: newId(), due_at: sql`now() - interval '90 seconds'`, campaigns_told: true, audience_told: true })
    .execute()

  const scrape = await tracker.metrics.text()
  expect(scrape).toContain('herald_outcomes_total{platform="android",outcome="failed",code="payload_invalid"} 4\n')
  expect(scrape).toContain('herald_outcomes_total{platform="android",outcome="skipped",code="quiet_hours"} 3\n')
  expect(scrape).toContain('herald_engagements_total{kind="dismissed"} 1\n')
  expect(scrape).toMatch(/herald_due_age_seconds\{queue="announcements"\} \d/)
  expect(scrape).toMatch(/herald_due_age_seconds\{queue="settlements"\} \d/)
})
