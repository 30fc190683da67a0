import {
  eraseTrackerOfApp,
  eraseTrackerOfUser,
  explainPushes,
  listConversions,
  readCurve,
  readSeries,
  readStats,
  recordConversions,
  reportQueued,
  trackEvents,
  type ToldConversion,
} from '@herald/contracts/calls/tracker'
import type { Announcement } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { conversionCounts } from './core/conversion-moves.ts'
import { findCampaignConversions } from './store/conversions.ts'
import { deleteOldCounters } from './store/counters.ts'
import { deleteOldDays } from './store/partitions.ts'
import type { Tables } from './store/tables.ts'
import {
  givenCampaign,
  givenEndpoint,
  givenEngagement,
  givenOutcomes,
  givenSettled,
  givenTracker,
  reportOf,
  today,
  type Campaign,
  type Push,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let audience: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  for (const _ of ['one', 'two']) await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  audience = await givenPeer('audience', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

const windows = { directHours: 24, influencedHours: 1 }
const seconds = (count: number) => new Date(Date.now() + count * 1_000).toISOString()

/** A conversion of the user of a push, now. */
const conversionOf = ({ userId, subscriptionId }: Pick<Push, 'userId' | 'subscriptionId'>, fields: Partial<ToldConversion> = {}) => ({
  ...{ id: newId(), name: 'order', at: seconds(0), value: null, currency: null },
  ...{ userId, subscriptionIds: [subscriptionId], push: null },
  ...fields,
})
const record = async (appId: string, conversions: ToldConversion[], attribution = windows) =>
  (await caller.call(recordConversions, { appId, attribution, conversions })).results
const statsOf = async (campaign: Campaign) => (await caller.call(readStats, campaign))?.stats

/** A campaign with a push to one device, and with so many other pushes in its batch. */
async function givenSent(appId: string, { to, others = 0, ...campaign }: { to?: Push; others?: number; test?: true } = {}) {
  const of = { ...givenCampaign(), appId, ...campaign }
  const [made] = givenOutcomes(1)
  const push = to ?? made!
  await givenSettled(caller, of, [push, ...givenOutcomes(others)])
  return { of, push }
}
const open = (campaign: Campaign, { userId, subscriptionId }: Push) =>
  caller.call(trackEvents, { engagements: [givenEngagement(campaign, { kind: 'opened', userId, subscriptionId })] })

// spec: conversions/once, conversions/shows-at-once, conversions/decided-once
test('a conversion reported 50 times at once counts once, at once in the statistics, with one attribution', async () => {
  const { of, push } = await givenSent(newId())
  await open(of, push)
  const one = conversionOf(push, { value: '0.1', currency: 'EUR' })
  const answers = (await Promise.all(Array.from({ length: 50 }, () => record(of.appId, [one, one])))).flat()

  expect(answers.filter(({ status }) => status === 'counted')).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 'duplicate')).toHaveLength(99)
  const attribution = { campaignId: of.campaignId, how: 'direct' }
  for (const answer of answers) expect(answer).toMatchObject({ attribution })
  const conversions = { order: { count: 1, direct: 1, influenced: 0, users: 1, value: { EUR: '0.10' } } }
  expect(await statsOf(of)).toMatchObject({ conversions })

  // A later push changes nothing of what was decided.
  const later = await givenSent(of.appId, { to: push })
  await open(later.of, push)
  expect(await record(of.appId, [one])).toEqual([{ status: 'duplicate', attribution }])
  expect((await statsOf(later.of))?.conversions).toBeUndefined()
})

// spec: conversions/stats
test('ten times 0.1 is 1.00, a user’s two conversions are one user, another app’s same id is another', async () => {
  const { of, push } = await givenSent(newId())
  const ten = Array.from({ length: 10 }, () => conversionOf(push, { value: '0.1', currency: 'EUR' }))
  await record(of.appId, [...ten, conversionOf(push, { name: 'visit', value: '3' })])
  expect((await statsOf(of))?.conversions).toEqual({
    order: { count: 10, direct: 0, influenced: 10, users: 1, value: { EUR: '1.00' } },
    visit: { count: 1, direct: 0, influenced: 1, users: 1, value: { XXX: '3.00' } },
  })
  expect(await record(newId(), ten.slice(0, 1))).toEqual([{ status: 'counted', attribution: null }])
})

// spec: conversions/once, conversions/names
test('an id is its user’s own: the public key takes neither ids nor names of the backend', async () => {
  const { appId, push } = await (async () => {
    const sent = await givenSent(newId())
    return { appId: sent.of.appId, push: sent.push }
  })()
  const order = conversionOf(push, { id: 'order-1001' })
  const stranger = { ...conversionOf({ userId: newId(), subscriptionId: newId() }, { id: 'order-1001' }), open: true as const }
  expect(await record(appId, [stranger])).toMatchObject([{ status: 'counted' }])
  expect(await record(appId, [order])).toMatchObject([{ status: 'counted' }])
  expect(await record(appId, [{ ...order, open: true }])).toMatchObject([{ status: 'duplicate' }])

  const invented = Array.from({ length: 40 }, (_, place) => ({ ...conversionOf(push, { name: `invented_${place}` }), open: true as const }))
  const results = await record(appId, invented)
  expect(results.filter(({ status }) => status === 'refused')).toHaveLength(40 - 24)
  expect(await record(appId, [conversionOf(push, { name: 'refund' })])).toMatchObject([{ status: 'counted' }])
})

// spec: conversions/attribution, conversions/windows
test.each([0, 40])('with %i other pushes in the batch the last opened is the cause, else the last sent, to the second', async (others) => {
  const appId = newId()
  const first = await givenSent(appId, { others })
  const { push } = first
  const opened = Date.now()
  await open(first.of, push)
  const second = await givenSent(appId, { to: push, others })
  expect(await record(appId, [conversionOf(push)])).toMatchObject([{ attribution: { campaignId: first.of.campaignId, how: 'direct' } }])

  const at = new Date(Math.ceil(opened / 1_000) * 1_000 - 24 * 3_600_000).toISOString()
  await sql`update engagements set at = ${at}::timestamptz where campaign_id = decode(${first.of.campaignId}, 'hex')`.execute(db)
  const after = (hours: number, more: number) => new Date(Date.parse(at) + hours * 3_600_000 + more * 1_000).toISOString()
  expect(
    await record(appId, [
      conversionOf(push, { at: after(0, -1) }),
      conversionOf(push, { at: after(0, 0) }),
      conversionOf(push, { at: after(24, 0) }),
      conversionOf(push, { at: after(24, 1) }),
    ]),
  ).toMatchObject([
    { attribution: null },
    { attribution: { how: 'direct' } },
    { attribution: { campaignId: first.of.campaignId, how: 'direct' } },
    { attribution: { campaignId: second.of.campaignId, how: 'influenced' } },
  ])
  expect(await record(appId, [conversionOf(push, { at: after(24, 2) })], { directHours: 24, influencedHours: 0 })).toMatchObject([
    { attribution: null },
  ])
})

// spec: conversions/own-pushes
test.each([0, 40])('with %i other pushes in the batch a push to a device’s earlier owner stays that owner’s', async (others) => {
  const { of, push } = await givenSent(newId(), { others })
  await open(of, push)
  const moved = { ...push, userId: newId() }
  const named = { ...of, userId: push.userId, subscriptionId: push.subscriptionId, platform: 'ios' as const, variant: '' }
  expect(
    await record(of.appId, [
      conversionOf(moved),
      conversionOf(moved, { push: named }),
      conversionOf(push),
      conversionOf(push, { push: named }),
    ]),
  ).toMatchObject([{ attribution: null }, { attribution: null }, { attribution: { how: 'direct' } }, { attribution: { how: 'direct' } }])
})

// spec: conversions/attribution
test('the push that the report names precedes one opened later, and counts for the named variant', async () => {
  const appId = newId()
  const first = await givenSent(appId)
  const { push } = first
  const second = await givenSent(appId, { to: push })
  await open(second.of, push)
  const named = { ...first.of, userId: push.userId, subscriptionId: push.subscriptionId, platform: 'ios' as const, variant: 'red' }
  expect(await record(appId, [conversionOf(push, { push: named })])).toMatchObject([
    { attribution: { campaignId: first.of.campaignId, how: 'direct' } },
  ])
  const { byVariant } = conversionCounts(await findCampaignConversions(db, [first.of.campaignId]))
  expect(byVariant.get('red')?.['order']).toMatchObject({ count: 1, direct: 1 })
})

// spec: conversions/tests-and-silent
test('nothing is attributed to a test, and nothing is influenced by a silent send', async () => {
  const appId = newId()
  const tested = await givenSent(appId, { test: true })
  await open(tested.of, tested.push)
  expect(await record(appId, [conversionOf(tested.push)])).toMatchObject([{ attribution: null }])

  const silent = { ...givenCampaign(), appId }
  const batches = await givenSettled(caller, silent, [tested.push])
  await caller.call(reportQueued, { reports: [{ ...reportOf(silent, batches), silent: true }] })
  expect(await record(appId, [conversionOf(tested.push)])).toMatchObject([{ attribution: null }])
})

// spec: conversions/time
test('a conversion over 7 days old or 5 minutes ahead is refused at `at`, alone', async () => {
  const { push } = await givenSent(newId())
  const day = 86_400
  const times = [seconds(-7 * day - 5), seconds(-7 * day + 60), seconds(290), seconds(310)]
  const results = await record(
    newId(),
    times.map((at) => conversionOf(push, { at })),
  )
  expect(results.map((one) => [one.status, 'path' in one ? one.path : null])).toEqual([
    ['refused', 'at'],
    ['counted', null],
    ['counted', null],
    ['refused', 'at'],
  ])
})

// spec: conversions/names
test('an app has 50 names of conversions, however many calls make them at once; a known one goes on', async () => {
  const appId = newId()
  const { push } = await givenSent(appId)
  const named = (no: number) => conversionOf(push, { name: `name${no}` })
  const calls = await Promise.all(
    [0, 1, 2].map((of) =>
      record(
        appId,
        Array.from({ length: 20 }, (_one, no) => named(20 * of + no)),
      ),
    ),
  )
  const refused = calls.flat().filter(({ status }) => status === 'refused')
  expect(refused).toHaveLength(10)
  expect(refused[0]).toMatchObject({ path: 'name' })
  const counted = calls.flat().findIndex(({ status }) => status === 'counted')
  expect(await record(appId, [named(counted)])).toMatchObject([{ status: 'counted' }])
})

// spec: conversions/series
test('attributed conversions count in the series on their push’s platform, and in a large campaign’s curve', async () => {
  const appId = newId()
  const of = { ...givenCampaign(), appId }
  const pushes = givenOutcomes(1_001)
  await givenSettled(caller, of, pushes, { platform: 'android' })
  await record(appId, [...pushes.slice(0, 5).map((push) => conversionOf(push)), conversionOf(givenOutcomes(1)[0]!)])
  const { points } = await caller.call(readSeries, { appId, from: null, to: null, bucket: 'day', by: 'platform' })
  expect(points.filter(({ converted }) => converted > 0)).toEqual([expect.objectContaining({ platform: 'android', converted: 5 })])
  expect((await caller.call(readCurve, of))?.points).toMatchObject([{ afterSeconds: 0, converted: 5 }])
  expect((await statsOf(of))?.conversions?.['order']?.count).toBe(5)
})

// spec: conversions/event
test('an attributed conversion is announced where an endpoint asks for it, and one without a cause is not', async () => {
  const appId = newId()
  const { of, push } = await givenSent(appId)
  await givenEndpoint(db, appId, ['notification.converted'])
  const one = conversionOf(push, { value: '5', currency: 'EUR' })
  await record(appId, [one, conversionOf(givenOutcomes(1)[0]!)])
  const { rows } = await sql<{ body: string }>`select body from announcements where body like ${`%${appId}%`}`.execute(db)
  const events = rows.flatMap(({ body }) => (JSON.parse(body) as Announcement).events)
  expect(events).toEqual([
    {
      type: 'notification.converted',
      ...{ at: one.at, appId, campaignId: of.campaignId, userId: push.userId, subscriptionId: push.subscriptionId, platform: 'ios' },
      data: { name: 'order', value: '5', currency: 'EUR', eventId: one.id, how: 'influenced' },
    },
  ])
})

// spec: conversions/person
test('a user’s conversions are listed newest first, page after page, and explain shows those of the campaign', async () => {
  const appId = newId()
  const { of, push } = await givenSent(appId)
  const times = [0, -1, -1, -2].map((ago) => seconds(ago * 86_400))
  await record(
    appId,
    times.map((at) => conversionOf(push, { at })),
  )
  const ask = (after: string | null) => caller.call(listConversions, { appId, userId: push.userId, after, limit: 3 })
  const first = await ask(null)
  const second = await ask(first.next)
  expect([...first.conversions, ...second.conversions].map(({ at }) => at)).toEqual(times)
  expect([first.conversions.length, second.next]).toEqual([3, null])
  expect(first.conversions[0]).toMatchObject({ name: 'order', campaignId: of.campaignId, how: 'influenced', value: null })

  const asked = { appId, campaignId: of.campaignId, subscriptionIds: [push.subscriptionId], userId: null }
  const { pushes } = await caller.call(explainPushes, asked)
  expect(pushes[0]?.conversions).toEqual([{ name: 'order', at: times[0], how: 'influenced' }])
})

// spec: conversions/erased
test('with a user all conversions go and none can come, the counters stay; with an app all rows go', async () => {
  const appId = newId()
  const { of, push } = await givenSent(appId)
  await record(appId, [conversionOf(push)])
  await audience.call(eraseTrackerOfUser, { appId, userId: push.userId })
  expect(await caller.call(listConversions, { appId, userId: push.userId, after: null, limit: 10 })).toEqual({
    conversions: [],
    next: null,
  })
  expect(await record(appId, [conversionOf(push)])).toEqual([{ status: 'unknown_user' }])
  expect((await statsOf(of))?.conversions?.['order']?.count).toBe(1)

  const other = await givenSent(appId)
  await record(appId, [conversionOf(other.push)])
  while (!(await caller.call(eraseTrackerOfApp, { appId })).done);
  expect(await record(appId, [conversionOf(other.push)])).toEqual([{ status: 'unknown_user' }])
  const left = await sql<{ rows: number }>`
    select (select count(*) from conversions where app_id = decode(${appId}, 'hex'))
      + (select count(*) from conversion_users where app_id = decode(${appId}, 'hex'))
      + (select count(*) from conversion_names where app_id = ${appId})
      + (select count(*) from campaign_conversions where campaign_id = ${other.of.campaignId}) as rows`.execute(db)
  expect(Number(left.rows[0]?.rows)).toBe(0)
})

// spec: conversions/retention
test('conversions go with the days of the ledger, and the counters of a campaign’s conversions with its other counters', async () => {
  const { of, push } = await givenSent(newId())
  await record(of.appId, [conversionOf(push)])
  const partitions = await sql<{ name: string }>`
    select relname as name from pg_class where relname like 'conversion%' and relname like ${`%${today.replaceAll('-', '')}`} and relkind = 'r'
    order by 1`.execute(db)
  expect(partitions.rows.map(({ name }) => name.replace(/_\d+$/, ''))).toEqual(['conversion_users', 'conversions'])
  await sql`update counters set day = day - 500 where campaign_id = ${of.campaignId}`.execute(db)
  expect(await deleteOldCounters(db, 400)).toBeGreaterThan(0)
  expect(await findCampaignConversions(db, [of.campaignId])).toEqual([])
  await deleteOldDays(db, -2)
  expect(await caller.call(listConversions, { appId: of.appId, userId: push.userId, after: null, limit: 10 })).toMatchObject({
    conversions: [],
  })
})
