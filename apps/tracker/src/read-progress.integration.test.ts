import { findPushesWithOutcome, listStats, readProgress, readStats, recordOutcomes, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { noStats } from '@herald/contracts/stats'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
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
  type Batch,
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

test('a send’s progress shows for each platform how many pushes are queued and have an outcome', async () => {
  const campaign = givenCampaign()
  const [ios] = batchesOf(campaign, givenOutcomes(3)) as [Batch]
  const [android] = batchesOf(campaign, givenOutcomes(2, { outcome: 'failed', code: 'timeout' }), { platform: 'android', no: 2 }) as [Batch]
  const [web] = batchesOf(campaign, [givenOutcome({ outcome: 'skipped', code: 'silent_web' })], { platform: 'web', no: 3 }) as [Batch]
  await report(caller, campaign, [ios, android, web], { fannedOut: false })
  await caller.call(recordOutcomes, { batches: [outcomesOf(android), outcomesOf(web), outcomesOf(ios, 0, 2)] })
  await caller.call(recordOutcomes, { batches: [outcomesOf(android), outcomesOf(web)] })

  expect(await caller.call(readProgress, campaign)).toEqual({
    stats: { ...noStats, queued: 6, sent: 2, failed: 2, skipped: 1 },
    byPlatform: { ios: { queued: 3, settled: 2 }, android: { queued: 2, settled: 2 }, web: { queued: 1, settled: 1 } },
    fannedOut: false,
    settled: false,
  })

  await report(caller, campaign, [ios, android, web])
  expect(await caller.call(readProgress, campaign)).toMatchObject({ fannedOut: true, settled: false })
  await caller.call(recordOutcomes, { batches: [outcomesOf(ios)] })
  expect(await caller.call(readProgress, campaign)).toMatchObject({ byPlatform: { ios: { queued: 3, settled: 3 } }, settled: true })

  expect(await caller.call(readProgress, { ...campaign, appId: newId() })).toBeNull()
  expect(await caller.call(readProgress, givenCampaign())).toBeNull()
})

test('one call gives the statistics of several campaigns of an app with their variants, and none of another app', async () => {
  const [first, second, foreign] = [givenCampaign(), givenCampaign(), givenCampaign()]
  const ofApp = [first, { ...second, appId: first.appId }]
  for (const campaign of [...ofApp, foreign]) {
    const [batch] = batchesOf(campaign, givenOutcomes(5, { variant: 'a' })) as [Batch]
    await report(caller, campaign, [batch])
    if (campaign === first) await caller.call(recordOutcomes, { batches: [outcomesOf(batch, 0, 2)] })
  }

  const campaignIds = [first, second, foreign, givenCampaign()].map(({ campaignId }) => campaignId)
  const ofFirst = (await caller.call(readStats, first))?.stats
  expect(ofFirst).toMatchObject({ queued: 5, sent: 2, variants: { a: { sent: 2 } } })
  expect(await caller.call(listStats, { appId: first.appId, campaignIds })).toEqual({
    stats: { [first.campaignId]: ofFirst, [second.campaignId]: { ...noStats, queued: 5 } },
  })
  const [queued] = batchesOf(first, givenOutcomes(1)).map(({ platform }) => platform)
  const ofPlatform = async (platform: 'ios' | 'android' | 'web') =>
    Object.keys((await caller.call(listStats, { appId: first.appId, campaignIds, platform })).stats).length
  expect(await Promise.all((['android', 'ios', 'web'] as const).map(ofPlatform))).toEqual(
    ['android', 'ios', 'web'].map((platform) => (platform === queued ? 2 : 0)),
  )
})

test('the tracker answers which devices have a campaign’s outcome without its day, none past the retention', async () => {
  const campaign = givenCampaign()
  // One batch is a row of many pushes, the other has a row per push. The last push of each batch has no outcome.
  const batches = [...batchesOf(campaign, givenOutcomes(40)), ...batchesOf(campaign, givenOutcomes(3), { no: 2 })]
  await report(caller, campaign, batches)
  await caller.call(recordOutcomes, { batches: batches.map((batch) => outcomesOf(batch, 0, batch.pushes.length - 1)) })
  const settled = batches.flatMap(({ pushes }) => pushes.slice(0, -1))
  const open = batches.flatMap(({ pushes }) => pushes.slice(-1))
  const subscriptionIds = [...settled, ...open].map(({ subscriptionId }) => subscriptionId)
  subscriptionIds.push(newId())
  const find = async () => (await caller.call(findPushesWithOutcome, { campaignId: campaign.campaignId, subscriptionIds })).subscriptionIds

  expect((await find()).toSorted()).toEqual(subscriptionIds.slice(0, settled.length).toSorted())
  expect(await caller.call(findPushesWithOutcome, { campaignId: newId(), subscriptionIds })).toEqual({ subscriptionIds: [] })
  await db
    .updateTable('counters')
    .set({ day: sql`(now() at time zone 'utc')::date - 91` })
    .where('campaign_id', '=', campaign.campaignId)
    .execute()
  expect(await find()).toEqual([])
})

test('the metrics count committed outcomes and reports, without repeats, and have an age of due announcements and of due settlements', async () => {
  const campaign = givenCampaign()
  const pushes = [
    ...givenOutcomes(4, { outcome: 'failed', code: 'payload_invalid', providerCode: '400' }),
    ...givenOutcomes(3, { outcome: 'skipped', code: 'quiet_hours', attempts: 0 }),
  ]
  const [batch] = batchesOf(campaign, pushes, { platform: 'android' }) as [Batch]
  await report(caller, campaign, [batch], { fannedOut: false })
  const opened = givenEngagement(campaign, { kind: 'dismissed' })
  for (let times = 0; times < 2; times += 1) {
    await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
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
  expect(scrape).toMatch(/herald_due_age_seconds\{scope="global",queue="announcements"\} \d/)
  expect(scrape).toMatch(/herald_due_age_seconds\{scope="global",queue="settlements"\} \d/)
})
