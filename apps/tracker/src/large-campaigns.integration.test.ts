import { readBreakdown, readCurve, readStats, recordOutcomes, reportQueued, trackEvents } from '@herald/contracts/calls/tracker'
import type { EngagementKind } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
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
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  reportOf,
  type Batch,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

const record = async (batches: Batch[]) => {
  for (const batch of batches) await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
}
const opened = (batch: Batch, places: number[], kind: EngagementKind = 'opened') =>
  caller.call(trackEvents, {
    engagements: places.map((place) => givenEngagement(batch, { kind, subscriptionId: batch.pushes[place]?.subscriptionId ?? '' })),
  })
const begunAgo = (campaignId: string, ago: string) =>
  sql`update counters set created_at = now() - ${ago}::interval where campaign_id = ${campaignId}`.execute(db)

// spec: administration/curve
test('a curve counts all reports: by the minute for an hour, by 10 minutes for a day, then by hours', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(1_500), { size: 500 })
  const [one] = batches as [Batch]
  // Reports may come while the fan-out is running and has queued fewer than 1,000 pushes.
  await report(caller, campaign, [one], { fannedOut: false })
  await opened(one, [0, 1])
  await report(caller, campaign, batches)
  await begunAgo(campaign.campaignId, '25 minutes 30 seconds')
  await opened(one, [1, 2, 3])
  await opened(one, [0], 'clicked')
  await begunAgo(campaign.campaignId, '25 hours 30 minutes')
  await opened(one, [4])
  await begunAgo(campaign.campaignId, '89 days')
  await opened(one, [5, 6])

  const curve = await caller.call(readCurve, campaign)
  const points = curve?.points ?? []
  expect(curve?.kept).toBe(true)
  expect(points.filter((point) => point.opened + point.clicked > 0)).toEqual([
    { afterSeconds: 0, delivered: 0, opened: 2, clicked: 0, dismissed: 0, converted: 0 },
    { afterSeconds: 1_500, delivered: 0, opened: 2, clicked: 1, dismissed: 0, converted: 0 },
    { afterSeconds: 90_000, delivered: 0, opened: 1, clicked: 0, dismissed: 0, converted: 0 },
    // The last step also counts all reports that come later.
    { afterSeconds: 86_400 + (1_999 - 144) * 3_600, delivered: 0, opened: 2, clicked: 0, dismissed: 0, converted: 0 },
  ])
  expect(points).toHaveLength(2_054)
  const { stats } = (await caller.call(readStats, campaign)) ?? {}
  expect(points.reduce((sum, point) => sum + point.opened, 0)).toBe(stats?.opened)
  expect(await caller.call(readCurve, { ...campaign, appId: newId() })).toBeNull()
})

// spec: administration/curve
test('a campaign of 20 pushes has a curve; of a notification of 20 pushes no steps are stored', async () => {
  for (const transactional of [false, true]) {
    const campaign = givenCampaign()
    const [batch] = batchesOf(campaign, givenOutcomes(20)) as [Batch]
    await caller.call(reportQueued, { reports: [{ ...reportOf(campaign, [batch]), transactional }] })
    await opened(batch, [0, 1])
    const opens = transactional ? [] : [{ afterSeconds: 0, opened: 2 }]
    expect(await caller.call(readCurve, campaign)).toMatchObject({ kept: !transactional, points: opens })
    expect(await db.selectFrom('curve_steps').select('opened').where('campaign_id', '=', campaign.campaignId).execute()).toHaveLength(
      opens.length,
    )
  }
})

// spec: administration/curve
test('from before curves had minutes a small campaign has no curve, a large one has steps of ten minutes', async () => {
  const [small, large] = [givenCampaign(), givenCampaign()]
  for (const [campaign, count] of [
    [small, 20],
    [large, 1_001],
  ] as const) {
    const batches = batchesOf(campaign, givenOutcomes(count)) as [Batch]
    await report(caller, campaign, batches)
    await opened(batches[0], [0])
  }
  await db.deleteFrom('curve_steps').where('campaign_id', '=', small.campaignId).execute()
  const step = { campaign_id: large.campaignId, step: 1, delivered: 0, opened: 4, clicked: 0, dismissed: 0 }
  await db.insertInto('curve_steps').values(step).execute()
  expect(await caller.call(readCurve, small)).toMatchObject({ kept: false, points: [] })
  const { points = [] } = (await caller.call(readCurve, large)) ?? {}
  expect(points.filter(({ opened }) => opened > 0)).toMatchObject([
    { afterSeconds: 0, opened: 1 },
    { afterSeconds: 600, opened: 4 },
  ])
})

// spec: administration/breakdown, tracking/action
test('the breakdown counts each device once for the button that it clicked, and not a click on the notification itself', async () => {
  const campaign = givenCampaign()
  const [batch] = batchesOf(campaign, givenOutcomes(6)) as [Batch]
  await report(caller, campaign, [batch])
  const click = (place: number, action?: string, kind: EngagementKind = 'clicked') =>
    givenEngagement(batch, { kind, subscriptionId: batch.pushes[place]?.subscriptionId ?? '', ...(action !== undefined && { action }) })
  await caller.call(trackEvents, { engagements: [click(0, 'later'), click(1, 'shop'), click(1, 'shop', 'opened'), click(2)] })
  await caller.call(trackEvents, { engagements: [click(1, 'later'), click(3, 'shop')] })
  expect((await caller.call(readBreakdown, campaign))?.actions).toEqual([
    { action: 'shop', clicked: 2 },
    { action: 'later', clicked: 1 },
  ])
})

/**
 * Makes `count` sent pushes on iOS and as many on the web. On iOS `failed` others fail with each of two codes, and on the web `failed` others are
 * skipped.
 */
function givenEnds(count: number, failed: number) {
  const campaign = givenCampaign()
  const dead = givenOutcomes(failed, { outcome: 'failed', code: 'token_dead', variant: 'a' })
  const late = givenOutcomes(failed, { outcome: 'failed', code: 'timeout', variant: 'b' })
  const ios = batchesOf(campaign, [...givenOutcomes(count, { variant: 'a' }), ...dead, ...late])
  const silent = givenOutcomes(failed, { outcome: 'skipped', code: 'silent_web', variant: 'b' })
  const web = batchesOf(campaign, [...givenOutcomes(count, { variant: 'b' }), ...silent], { no: ios.length + 1, platform: 'web' })
  return { campaign, ios, web }
}

// spec: administration/breakdown
test.each([
  ['large', 700, 50],
  ['small', 20, 3],
])('a %s campaign has counts by platform, code and variant, and the number of pushes without an outcome', async (_, count, failed) => {
  const { campaign, ios, web } = givenEnds(count, failed)
  // The iOS pushes end while the fan-out is running, some of them as failed.
  await report(caller, campaign, ios, { fannedOut: false })
  await record(ios)
  await report(caller, campaign, [...ios, ...web])
  const none = { queued: 0, open: 0, sent: 0, failed: 0, skipped: 0 }
  const onIos = { queued: count + 2 * failed, open: 0, sent: count, failed: 2 * failed, skipped: 0 }
  const codesOfIos = [
    { platform: 'ios', outcome: 'failed', code: 'timeout', count: failed },
    { platform: 'ios', outcome: 'failed', code: 'token_dead', count: failed },
  ]
  expect(await caller.call(readBreakdown, campaign)).toMatchObject({
    byPlatform: { ios: onIos, android: none, web: { ...none, queued: count + failed, open: count + failed } },
    codes: codesOfIos,
  })

  await record([...web, ...ios])
  expect(await caller.call(readBreakdown, campaign)).toEqual({
    byPlatform: { ios: onIos, android: none, web: { queued: count + failed, open: 0, sent: count, failed: 0, skipped: failed } },
    codes: [...codesOfIos, { platform: 'web', outcome: 'skipped', code: 'silent_web', count: failed }],
    variants: {
      a: { sent: count, failed, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0 },
      b: { sent: count, failed, skipped: failed, delivered: 0, opened: 0, clicked: 0, dismissed: 0 },
    },
    actions: [],
  })
  expect(await caller.call(readBreakdown, { ...campaign, appId: newId() })).toBeNull()
})

// spec: administration/breakdown
test('when one platform’s codes were not counted the breakdown gives no codes, and null as platforms’ outcomes', async () => {
  const { campaign, ios, web } = givenEnds(700, 50)
  await report(caller, campaign, [...ios, ...web])
  await record([...ios, ...web])
  // Deletes the codes of iOS, as if those outcomes had come before codes were counted.
  await db.deleteFrom('campaign_codes').where('campaign_id', '=', campaign.campaignId).where('platform', '=', 'ios').execute()

  expect(await caller.call(readBreakdown, campaign)).toMatchObject({
    byPlatform: {
      ios: { queued: 800, open: 0, sent: null, failed: null, skipped: null },
      web: { queued: 750, open: 0, sent: null, failed: null, skipped: null },
    },
    codes: null,
  })
})
