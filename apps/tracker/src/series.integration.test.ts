import { readSeries, readStats, recordOutcomes, reportQueued, trackEvents } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { EngagementKind } from '@herald/contracts/event'
import type { Platform } from '@herald/contracts/platform'
import type { SeriesPoint } from '@herald/contracts/series'
import { openDatabase, settingsForWork } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { openPlans } from '@herald/testing/plans'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { readCurve as readCurveOf } from './read-curve.ts'
import { readRecent as readRecentOf, readSeries as readSeriesOf } from './read-series.ts'
import { deleteOldSeries, mergeHours, mergeStripes } from './store/series.ts'
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
const database = await freshDatabase()

beforeAll(async () => {
  const natsUrl = await freshNats()
  for (const _ of ['one', 'two', 'three']) await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const kinds = ['queued', 'sent', 'failed', 'skipped', 'delivered', 'opened', 'clicked', 'dismissed'] as const
const sumOf = (points: SeriesPoint[]) =>
  Object.fromEntries(kinds.map((kind) => [kind, points.reduce((sum, point) => sum + point[kind], 0)]))

/** Reads everything that was counted of an app: by hours, by days, and as the sum of its campaigns' statistics. */
async function allOf(appId: string, campaigns: Campaign[]) {
  const read = async (bucket: 'hour' | 'day', by: 'platform' | 'code' | null) =>
    caller.call(readSeries, { appId, from: daysAgo(bucket === 'hour' ? 2 : 40), to: null, bucket, by })
  const stats = await Promise.all(campaigns.map((campaign) => caller.call(readStats, campaign)))
  const ofStats = Object.fromEntries(kinds.map((kind) => [kind, stats.reduce((sum, one) => sum + (one?.stats[kind] ?? 0), 0)]))
  const byPlatform = (await read('hour', 'platform')).points
  return {
    ofStats,
    hours: sumOf((await read('hour', null)).points),
    days: sumOf((await read('day', null)).points),
    ios: sumOf(byPlatform.filter(({ platform }) => platform === 'ios')),
    web: sumOf(byPlatform.filter(({ platform }) => platform === 'web')),
    codes: codesIn(await read('hour', 'code')),
    dayCodes: codesIn(await read('day', 'code')),
  }
}

function codesIn({ codes = [] }: { codes?: { platform: Platform; outcome: string; code: string; count: number }[] }) {
  const sums: Record<string, number> = {}
  for (const { platform, outcome, code, count } of codes) {
    const name = `${platform} ${outcome} ${code}`
    sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

const reportsOf = (batch: Batch, kind: EngagementKind, count: number) =>
  batch.pushes.slice(0, count).map(({ subscriptionId, userId }) => {
    return givenEngagement(batch, { subscriptionId, userId, kind, platform: batch.platform })
  })

/** Makes a campaign of 60 pushes on two platforms, with failures and reports. */
function givenMixed(appId = newId()) {
  const campaign = { campaignId: newId(), appId }
  const ios = batchesOf(campaign, [...givenOutcomes(25), ...givenOutcomes(5, { outcome: 'failed', code: 'token_dead' })], { size: 10 })
  const skipped = givenOutcomes(10, { outcome: 'skipped', code: 'silent_web' })
  const failed = givenOutcomes(7, { outcome: 'failed', code: 'timeout' })
  const web = batchesOf(campaign, [...givenOutcomes(13), ...skipped, ...failed], { size: 10, no: ios.length + 1, platform: 'web' })
  const engagements = [
    ...reportsOf(ios[0] as Batch, 'delivered', 10),
    ...reportsOf(ios[0] as Batch, 'opened', 4),
    ...reportsOf(web[0] as Batch, 'clicked', 2),
    ...reportsOf(web[0] as Batch, 'dismissed', 3),
  ]
  return { campaign, batches: [...ios, ...web], engagements }
}
type Mixed = ReturnType<typeof givenMixed>

const insist = (work: () => Promise<unknown>) => until(() => work().then(() => true), { what: 'an answer' })

/** Sends the report of queued pushes, then the outcomes, then the reports of devices. Outcomes and reports are sent `times` times at once. */
async function play({ campaign, batches, engagements }: Mixed, times = 1): Promise<void> {
  const again = Array.from({ length: times }, () => batches).flat()
  await insist(() => report(caller, campaign, batches))
  await Promise.all(again.map((batch) => insist(() => caller.call(recordOutcomes, { batches: [outcomesOf(batch)] }))))
  await Promise.all(Array.from({ length: times }, () => insist(() => caller.call(trackEvents, { engagements }))))
}
const ofOne = { queued: 60, sent: 38, failed: 12, skipped: 10, delivered: 10, opened: 4, clicked: 2, dismissed: 3 }
const codesOfOne = { 'ios failed token_dead': 5, 'web failed timeout': 7, 'web skipped silent_web': 10 }

// spec: administration/series, administration/series-exact
test('a series’ buckets equal the campaigns’ statistics, also by platform and code; a repeat changes nothing', async () => {
  const mixed = givenMixed()
  await play(mixed)
  const once = await allOf(mixed.campaign.appId, [mixed.campaign])
  expect(once).toEqual({
    ofStats: ofOne,
    hours: ofOne,
    days: ofOne,
    ios: { queued: 30, sent: 25, failed: 5, skipped: 0, delivered: 10, opened: 4, clicked: 0, dismissed: 0 },
    web: { queued: 30, sent: 13, failed: 7, skipped: 10, delivered: 0, opened: 0, clicked: 2, dismissed: 3 },
    codes: codesOfOne,
    dayCodes: codesOfOne,
  })

  await Promise.all([play(mixed), play(mixed)])
  expect(await allOf(mixed.campaign.appId, [mixed.campaign])).toEqual(once)
})

// spec: administration/series-exact
test('three trackers that count the same two apps at the same time count exactly and without a deadlock', async () => {
  const appId = newId()
  const other = newId()
  const sends = Array.from({ length: 12 }, (_, place) => givenMixed(place % 3 === 0 ? other : appId))
  const deadlocks = async () =>
    (await sql<{ deadlocks: number }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(db)).rows[0]
  const before = await deadlocks()
  // Half of the sends are reported in calls that hold sends of both apps, the others in calls about one send. Each outcome is reported twice.
  const ofBoth = async () => {
    const crossing = sends.slice(0, 6)
    await insist(() => caller.call(reportQueued, { reports: crossing.map(({ campaign, batches }) => reportOf(campaign, batches)) }))
    await Promise.all(
      [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5].map((place) =>
        insist(() => caller.call(recordOutcomes, { batches: crossing.map(({ batches }) => outcomesOf(batches[place] as Batch)) })),
      ),
    )
    await insist(() => caller.call(trackEvents, { engagements: crossing.flatMap(({ engagements }) => engagements) }))
  }
  await Promise.all([ofBoth(), ...sends.slice(6).map((send) => play(send, 2))])

  for (const [app, count] of [
    [appId, 8],
    [other, 4],
  ] as const) {
    const campaigns = sends.flatMap(({ campaign }) => (campaign.appId === app ? [campaign] : []))
    const expected = Object.fromEntries(Object.entries(ofOne).map(([kind, sum]) => [kind, sum * count]))
    const expectedCodes = Object.fromEntries(Object.entries(codesOfOne).map(([code, sum]) => [code, sum * count]))
    const { ofStats, hours, codes } = await allOf(app, campaigns)
    expect({ ofStats, hours, codes }).toEqual({ ofStats: expected, hours: expected, codes: expectedCodes })
  }
  expect(await deadlocks()).toEqual(before)
})

// spec: administration/series-exact
test('when a fan-out is reported page by page, each report adds to the hour only what is new', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(90), { size: 10 })
  for (const [upTo, queued] of [
    [3, 30],
    [7, 70],
    // A late report says less than the tracker knows already.
    [5, 70],
    [9, 90],
    [9, 90],
  ] as const) {
    await report(caller, campaign, batches.slice(0, upTo), { fannedOut: upTo === 9 })
    const { points } = await caller.call(readSeries, { appId: campaign.appId, from: daysAgo(1), to: null, bucket: 'hour', by: null })
    expect(sumOf(points)['queued']).toBe(queued)
  }
})

// spec: administration/series-tests
test('a test is counted in its own statistics and in no series', async () => {
  const { campaign, batches, engagements } = givenMixed()
  await report(caller, campaign, batches, { test: true })
  for (const batch of batches) await caller.call(recordOutcomes, { batches: [{ ...outcomesOf(batch), test: true }] })
  await db.updateTable('counters').set({ test: true }).where('campaign_id', '=', campaign.campaignId).execute()
  await caller.call(trackEvents, { engagements })

  const { ofStats, hours, codes } = await allOf(campaign.appId, [campaign])
  expect(ofStats).toEqual(ofOne)
  expect([new Set(Object.values(hours)), codes]).toEqual([new Set([0]), {}])
})

// spec: administration/series, administration/series-kept
test('outcomes before and after midnight are in buckets of their own, and merging hours into days changes no sum', async () => {
  const appId = newId()
  const sends = Array.from({ length: 3 }, () => givenMixed(appId))
  // One send was counted at 23:00 of 36 days ago, one at 0:00 of 35 days ago, and one now.
  for (const [place, send] of sends.entries()) {
    await play(send)
    const toMidnight = sql`date_trunc('day', now(), 'UTC') - make_interval(days => 35, hours => ${place === 0 ? 1 : 0})`
    if (place < 2) {
      await sql`update app_hours set hour = ${toMidnight} where app_id = ${appId} and hour > now() - interval '2 hours'`.execute(db)
      await sql`update app_hour_codes set hour = ${toMidnight} where app_id = ${appId} and hour > now() - interval '2 hours'`.execute(db)
    }
  }
  const days = async (by: 'platform' | 'code' | null) => caller.call(readSeries, { appId, from: daysAgo(37), to: null, bucket: 'day', by })
  const before = { ...(await days('code')), byPlatform: (await days('platform')).points }
  const used = before.points.filter(({ queued }) => queued > 0)
  expect(used.map(({ queued, sent, opened }) => [queued, sent, opened])).toEqual([
    [60, 38, 4],
    [60, 38, 4],
    [60, 38, 4],
  ])
  expect(Date.parse(used[1]!.at) - Date.parse(used[0]!.at)).toBe(86_400_000)

  for (let took = 1; took > 0;) took = await mergeHours(db, 35)
  const merged = await db.selectFrom('app_days').select('day').distinct().where('app_id', '=', appId).execute()
  expect(merged.map(({ day }) => day)).toEqual([used[0]!.at.slice(0, 10)])
  expect({ ...(await days('code')), byPlatform: (await days('platform')).points }).toEqual(before)

  // An hour of a day that was already merged is added to that day.
  await sql`update app_hours set hour = hour - interval '1 day' where app_id = ${appId} and hour < now() - interval '30 days'`.execute(db)
  await sql`update app_hour_codes set hour = hour - interval '1 day' where app_id = ${appId} and hour < now() - interval '30 days'`.execute(
    db,
  )
  for (let took = 1; took > 0;) took = await mergeHours(db, 35)
  const after = await days('code')
  expect(after.points.filter(({ queued }) => queued > 0).map(({ queued }) => queued)).toEqual([120, 60])
  expect([sumOf(after.points), codesIn(after)]).toEqual([sumOf(before.points), codesIn(before)])
})

// spec: administration/series-exact
test('later an hour’s rows are merged into one per platform and code, also after late outcomes, sums unchanged', async () => {
  const appId = newId()
  const sends = [givenMixed(appId), givenMixed(appId)]
  for (const send of sends) {
    await play(send)
    const ago = sql`hour = date_trunc('hour', now(), 'UTC') - interval '3 hours'`
    await sql`update app_hours set ${ago} where app_id = ${appId} and hour > now() - interval '2 hours'`.execute(db)
    await sql`update app_hour_codes set ${ago} where app_id = ${appId} and hour > now() - interval '2 hours'`.execute(db)
    for (let took = 1; took > 0;) took = await mergeStripes(db)
  }
  const rows = await db.selectFrom('app_hours').select(['platform', 'slot']).where('app_id', '=', appId).orderBy('platform').execute()
  expect(rows).toEqual([
    { platform: 'ios', slot: 16 },
    { platform: 'web', slot: 16 },
  ])
  expect(await db.selectFrom('app_hour_codes').select('slot').where('app_id', '=', appId).execute()).toHaveLength(3)
  const { ofStats, hours, days, codes } = await allOf(appId, [sends[0]!.campaign, sends[1]!.campaign])
  expect([hours, days]).toEqual([ofStats, ofStats])
  expect(codes).toEqual(Object.fromEntries(Object.entries(codesOfOne).map(([code, sum]) => [code, 2 * sum])))
})

// spec: administration/series-kept
test('counters by day are kept for 400 days', async () => {
  const appId = newId()
  const day = (back: number) => sql<string>`(now() at time zone 'utc')::date - ${back}::int`
  const none = { queued: 1, sent: 1, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0 }
  for (const back of [399, 400, 401]) {
    await db
      .insertInto('app_days')
      .values({ app_id: appId, day: day(back), platform: 'ios', ...none })
      .execute()
    const code = { platform: 'ios', outcome: 'failed', code: 'timeout', count: 1 } as const
    await db
      .insertInto('app_day_codes')
      .values({ app_id: appId, day: day(back), ...code })
      .execute()
  }
  for (let took = 1; took > 0;) took = await deleteOldSeries(db, 400)
  const left = async (table: 'app_days' | 'app_day_codes') => db.selectFrom(table).select('day').where('app_id', '=', appId).execute()
  expect([await left('app_days'), await left('app_day_codes')]).toMatchObject([{ length: 2 }, { length: 2 }])
  const series = await caller.call(readSeries, { appId, from: daysAgo(400), to: null, bucket: 'day', by: null })
  expect([series.points.length, sumOf(series.points)['sent']]).toEqual([401, 2])
})

// spec: administration/series
test('hours are UTC hours, also when the time zone of the connection is five and a half hours ahead', async () => {
  const hours = await db.transaction().execute(async (trx) => {
    await sql`set local time zone 'Asia/Kolkata'`.execute(trx)
    const appId = newId()
    await sql`select move_series(null, ${JSON.stringify([{ app_id: appId, platform: 'ios', sent: 1 }])}::json, null, 0::smallint)`.execute(
      trx,
    )
    return trx.selectFrom('app_hours').select('hour').where('app_id', '=', appId).execute()
  })
  expect(hours.map(({ hour }) => hour.getTime() % 3_600_000)).toEqual([0])
})

// spec: administration/series
test('a series with too many points or a `from` too long ago is refused, and the error names `from`', async () => {
  const refusal = async (asked: { from: string; bucket: 'hour' | 'day'; by: 'platform' | null }) =>
    caller.call(readSeries, { appId: newId(), to: null, ...asked }).then(
      ({ points }) => points.length,
      (error: unknown) => (Fault.is(error, 'invalid_body') ? error.details?.[0]?.path : error),
    )
  expect(await refusal({ from: daysAgo(36.1), bucket: 'hour', by: null })).toBe('from')
  expect(await refusal({ from: daysAgo(30), bucket: 'hour', by: 'platform' })).toBe('from')
  expect(await refusal({ from: daysAgo(402), bucket: 'day', by: null })).toBe('from')
  expect(await refusal({ from: daysAgo(34), bucket: 'hour', by: null })).toBe(34 * 24 + 1)
  expect(await refusal({ from: daysAgo(400), bucket: 'day', by: 'platform' })).toBe(3 * 401)
})

// spec: administration/series, administration/overview, administration/curve
test('reading series, overviews and curves touches neither the ledger nor the reports of devices', async () => {
  const { campaign, batches, engagements } = givenMixed()
  await play({ campaign, batches, engagements })
  const plans = await openPlans<Tables>(database.ownerUrl, 'tracker', settingsForWork)
  const { appId } = campaign
  const asked = { appId, from: daysAgo(1), to: null } as const
  const scans = await plans.of(async (one) => {
    for (const bucket of ['hour', 'day'] as const)
      for (const by of [null, 'platform', 'code'] as const) await readSeriesOf({ db: one }, { ...asked, bucket, by })
    await readRecentOf({ db: one }, { appId })
    await readCurveOf({ db: one }, campaign)
  })
  await plans.close()
  const tables = new Set(scans.map(({ table }) => table))
  expect(tables).toEqual(new Set(['app_hours', 'app_hour_codes', 'app_days', 'app_day_codes', 'counters', 'curve_steps']))
})
