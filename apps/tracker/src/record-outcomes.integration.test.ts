import {
  confirmTrackerAnnouncements,
  readOutcomesOfBatch,
  readStats,
  recordOutcomes,
  reportQueued,
  verifyCampaign,
} from '@herald/contracts/calls/tracker'
import type { Announcement, Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import type { BatchOutcomes } from '@herald/contracts/outcome'
import { noStats } from '@herald/contracts/stats'
import { announcements } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { recordOutcomes as writeDirectly } from './record-outcomes.ts'
import { openRememberedRows } from './remembered-rows.ts'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEndpoint,
  givenListeners,
  givenOutcome,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  reportOf,
  givenSettled,
  today,
  type Batch,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let heard: Awaited<ReturnType<typeof givenListeners>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']
const told: Announcement[] = []

/** Two trackers share the work. A peer stands in for webhooks and confirms every announcement that it gets. */
beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('tracker')
  heard = await givenListeners(natsUrl)
  await givenTracker({ databaseUrl, natsUrl })
  await givenTracker({ databaseUrl, natsUrl })
  caller = await givenPeer('dispatcher', natsUrl)
  const reader = testService('tracker', {})
  ;({ db } = await openDatabase<Tables>(reader, { url: databaseUrl, poolSize: 2 }))
  const webhooks = await givenPeer('webhooks', natsUrl)
  webhooks.consume(announcements, { atOnce: 50 }, async (announcement) => {
    told.push(announcement)
    await webhooks.call(confirmTrackerAnnouncements, { announcementIds: [announcement.announcementId] })
  })
})

/** Gives the events of a campaign. An announcement that came twice counts once, as in webhooks. */
const eventsOf = (campaignId: string): Event[] =>
  [...new Map(told.map((announcement) => [announcement.announcementId, announcement])).values()].flatMap(({ events }) =>
    events.filter((event) => event.campaignId === campaignId),
  )
const stats = async ({ appId, campaignId }: { appId: string; campaignId: string }) =>
  (await caller.call(readStats, { appId, campaignId }))?.stats
const times = (list: string[], item: string) => list.filter((one) => one === item).length
const settlementsLeft = async (campaignId: string) =>
  (await db.selectFrom('settlements').selectAll().where('campaign_id', '=', campaignId).execute()).length

// spec: tracking/counters-exact
test('outcomes that are reported 14 times at the same time count once, and there is one event for each', async () => {
  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  const [made] = batchesOf(campaign, [
    ...givenOutcomes(490),
    ...givenOutcomes(6, { outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered' }),
    ...givenOutcomes(4, { outcome: 'skipped', code: 'opted_out', attempts: 0 }),
  ]) as [Batch]
  await report(caller, campaign, [made])
  const batch = outcomesOf(made)

  const answers = await Promise.all(Array.from({ length: 14 }, () => caller.call(recordOutcomes, { batches: [batch] })))

  expect(answers.map(({ recorded }) => recorded).reduce((sum, count) => sum + count)).toBe(500)
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 500, sent: 490, failed: 6, skipped: 4 })
  const events = await until(() => eventsOf(campaign.campaignId).length >= 501 && eventsOf(campaign.campaignId), { what: 'all events' })
  expect(events).toHaveLength(501)
  expect(events.find(({ type }) => type === 'notification.failed')?.data).toEqual({
    code: 'token_dead',
    providerCode: '410 Unregistered',
    attempts: 1,
  })
  expect(events.find(({ type }) => type === 'notification.skipped')?.data).toEqual({ reason: 'opted_out' })
})

// spec: tracking/counters-exact, campaigns/completed
test('with two trackers the counters are exact, and a campaign settles once and is announced as completed once', async () => {
  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  const batches = batchesOf(campaign, givenOutcomes(4_000), { size: 100 })
  await report(caller, campaign, batches, { fannedOut: false })
  const last = { reports: [reportOf(campaign, batches, { told: batches })] }

  await Promise.all([
    ...[...batches, ...batches].map((batch) => caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })),
    ...Array.from({ length: 8 }, () => caller.call(reportQueued, last)),
  ])

  expect(await stats(campaign)).toEqual({ ...noStats, queued: 4_000, sent: 4_000 })
  await until(async () => (await settlementsLeft(campaign.campaignId)) === 0 && heard.audience.includes(campaign.campaignId), {
    what: 'the settlement',
  })
  expect(times(heard.campaigns, campaign.campaignId)).toBe(1)
  expect(times(heard.audience, campaign.campaignId)).toBe(1)
  await until(() => eventsOf(campaign.campaignId).length >= 4_001)
  expect(eventsOf(campaign.campaignId).filter(({ type }) => type === 'campaign.completed')).toHaveLength(1)
})

// spec: campaigns/settles
test('a campaign settles whether its outcomes come before or after the end of its fan-out', async () => {
  const [early, late] = [givenCampaign(), givenCampaign()]
  const [ofEarly, ofLate] = [batchesOf(early, givenOutcomes(10)), batchesOf(late, givenOutcomes(10))]
  await report(caller, early, ofEarly, { fannedOut: false })
  await report(caller, late, ofLate)
  await caller.call(recordOutcomes, { batches: [...ofEarly, ...ofLate].map((batch) => outcomesOf(batch)) })
  expect(heard.campaigns).not.toContain(early.campaignId)
  await report(caller, early, ofEarly)

  await until(() => heard.campaigns.includes(early.campaignId) && heard.campaigns.includes(late.campaignId))
  await until(async () => (await settlementsLeft(early.campaignId)) + (await settlementsLeft(late.campaignId)) === 0)
})

// spec: sending/target-unknown
test('a send that reaches no device settles and is announced as completed at once', async () => {
  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  await report(caller, campaign, [])

  await until(() => heard.campaigns.includes(campaign.campaignId) && heard.audience.includes(campaign.campaignId))
  expect(await stats(campaign)).toEqual(noStats)
  const [completed] = await until(() => eventsOf(campaign.campaignId).length > 0 && eventsOf(campaign.campaignId))
  expect(completed).toMatchObject({
    type: 'campaign.completed',
    data: { queued: 0, byPlatform: { ios: 0, android: 0, web: 0 }, name: 'Spring', transactional: false },
  })
  expect(completed?.userId ?? completed?.subscriptionId ?? completed?.platform).toBeUndefined()
})

test('a report of queued pushes that comes late and has a lower total does not lower the total', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(30), { size: 10 })
  await report(caller, campaign, batches, { fannedOut: false })
  await report(caller, campaign, batches.slice(0, 2), { fannedOut: false })
  expect((await stats(campaign))?.queued).toBe(30)
})

// spec: tracking/one-outcome
test('the first outcome of a push stays, with its code and token version', async () => {
  const campaign = givenCampaign()
  const dead = givenOutcome({ outcome: 'failed', code: 'token_dead', providerCode: '410', tokenVersion: 3 })
  const [batch] = batchesOf(campaign, [dead, givenOutcome()]) as [Batch]
  await report(caller, campaign, [batch])
  await caller.call(recordOutcomes, { batches: [outcomesOf(batch, 0, 1)] })
  const otherwise = { ...batch, pushes: batch.pushes.map((push) => ({ ...push, outcome: 'sent' as const, code: '' as const })) }
  expect(await caller.call(recordOutcomes, { batches: [outcomesOf(otherwise)] })).toEqual({ recorded: 1 })

  expect(await stats(campaign)).toEqual({ ...noStats, queued: 2, sent: 1, failed: 1 })
  const asked = { day: today, campaignId: campaign.campaignId, no: 1 }
  const { results } = await caller.call(readOutcomesOfBatch, asked)
  const at = expect.stringMatching(/^\d{4}-.*Z$/)
  expect(results).toMatchObject([
    { places: [0], outcome: 'failed', code: 'token_dead', providerCode: '410', tokenVersion: 3, at },
    { places: [1], outcome: 'sent', code: '', at },
  ])
  expect(await caller.call(readOutcomesOfBatch, { ...asked, no: 2 })).toEqual({ results: [] })
})

// spec: tracking/one-outcome
test('when two calls report different outcomes of the same pushes, each push’s first counts, and counters are right', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(600), { size: 60 })
  await report(caller, campaign, batches)
  const timedOut = batches.map((batch) => ({
    ...batch,
    pushes: batch.pushes.map((push) => ({ ...push, outcome: 'failed' as const, code: 'timeout' as const })),
  }))
  const tell = (batch: Batch, from: number) => caller.call(recordOutcomes, { batches: [outcomesOf(batch, from, from + 30)] })

  const [sent, failed] = await Promise.all(
    [batches, timedOut].map(async (all) => {
      const told = await Promise.all(all.flatMap((batch) => [0, 30].map((from) => tell(batch, from))))
      return told.reduce((sum, { recorded }) => sum + recorded, 0)
    }),
  )

  expect(await stats(campaign)).toEqual({ ...noStats, queued: 600, sent, failed })
  expect((sent ?? 0) + (failed ?? 0)).toBe(600)
  expect(await caller.call(verifyCampaign, campaign)).toMatchObject({ agrees: true })
})

test('when another process writes outcomes meanwhile, those stay, and the other pushes get the tracker’s', async () => {
  const campaign = givenCampaign()
  const [batch] = batchesOf(campaign, givenOutcomes(20)) as [Batch]
  await report(caller, campaign, [batch])
  const timedOut = { ...batch, pushes: batch.pushes.map((push) => ({ ...push, outcome: 'failed' as const, code: 'timeout' as const })) }
  const [written, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const other = db.transaction().execute(async (trx) => {
    await writeDirectly({ frequentDb: trx, remembered: openRememberedRows(), followUp: () => undefined, retentionDays: 90 }, [
      { batches: [outcomesOf(timedOut, 0, 5)] },
    ])
    written.resolve()
    await release.promise
  })
  await written.promise

  const telling = caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
  await until(async () => (await sql`select from pg_locks where locktype = 'transactionid' and not granted`.execute(db)).rows.length > 0)
  release.resolve()
  await other

  expect(await telling).toEqual({ recorded: 15 })
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 20, sent: 15, failed: 5 })
  expect(await caller.call(verifyCampaign, campaign)).toMatchObject({ agrees: true })
})

test('a report of queued pushes that is repeated after outcomes have come changes none of them', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, [...givenOutcomes(520), ...givenOutcomes(3)], { size: 500 })
  await report(caller, campaign, batches, { fannedOut: false })
  await caller.call(recordOutcomes, { batches: batches.map((batch) => outcomesOf(batch, 0, 10)) })
  for (let again = 0; again < 2; again += 1) await report(caller, campaign, batches)
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 523, sent: 20 })
  await caller.call(recordOutcomes, { batches: batches.map((batch) => outcomesOf(batch)) })
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 523, sent: 523 })
})

test('a batch whose 400 pushes all end differently keeps the outcome of each push', async () => {
  const campaign = givenCampaign()
  const pushes = Array.from({ length: 400 }, (_, n) =>
    givenOutcome({ outcome: 'failed', code: 'payload_too_large', providerCode: `${n} bytes` }),
  )
  const [batch] = (await givenSettled(caller, campaign, pushes)) as [Batch]
  const { results } = await caller.call(readOutcomesOfBatch, { day: today, campaignId: campaign.campaignId, no: batch.no })
  expect(results.map(({ places, providerCode }) => [places, providerCode])).toEqual(
    pushes.map(({ providerCode }, place) => [[place], providerCode]),
  )
  expect(await caller.call(verifyCampaign, campaign)).toMatchObject({ agrees: true, ledger: { failed: 400 } })
})

// spec: running/lost-rows
test('an unknown batch is named in the answer, and others’ outcomes are written in and beside the call', async () => {
  const [known, unknown] = [givenCampaign(), givenCampaign()]
  const batches = batchesOf(known, givenOutcomes(20), { size: 1 })
  await report(caller, known, batches)
  const none = batchesOf(unknown, givenOutcomes(5)) as [Batch]
  const beyond = { ...batches[0], pushes: givenOutcomes(2) } as Batch
  const bad = [outcomesOf(none[0]), outcomesOf({ ...none[0], ...known, no: 21 }), outcomesOf(beyond)]
  const record = (...of: BatchOutcomes[]) => caller.call(recordOutcomes, { batches: of })

  const [first, second, third, ...others] = await Promise.all([
    ...bad.map((batch, index) => record(batch, outcomesOf(batches[index + 1] as Batch))),
    ...batches.slice(4).map((batch) => record(outcomesOf(batch))),
  ])

  const named = (campaign: { campaignId: string }, no: number) => ({ recorded: 1, unknown: [{ campaignId: campaign.campaignId, no }] })
  expect([first, second, third]).toEqual([named(unknown, 1), named(known, 21), named(known, 1)])
  expect(others).toEqual(others.map(() => ({ recorded: 1 })))
  expect(await stats(known)).toEqual({ ...noStats, queued: 20, sent: 19 })
})

// spec: experiments/variant-counters
test('each variant has counters of its own, which add up to the campaign’s', async () => {
  const campaign = givenCampaign()
  await givenSettled(caller, campaign, [
    ...givenOutcomes(4, { variant: 'a' }),
    ...givenOutcomes(2, { variant: 'b' }),
    givenOutcome({ variant: 'b', outcome: 'failed', code: 'timeout' }),
  ])
  const { queued: _, ...none } = noStats
  expect(await stats(campaign)).toEqual({
    ...noStats,
    queued: 7,
    sent: 6,
    failed: 1,
    variants: { a: { ...none, sent: 4 }, b: { ...none, sent: 2, failed: 1 } },
  })
})

test('two trackers that write outcomes of many campaigns at once count exactly', async () => {
  const campaigns = Array.from({ length: 24 }, givenCampaign)
  const batches = campaigns.map((campaign) => batchesOf(campaign, givenOutcomes(60), { size: 3 }))
  await Promise.all(batches.map((made, index) => report(caller, campaigns[index] ?? givenCampaign(), made)))
  const calls = Array.from({ length: 20 }, (_, index) =>
    batches.flatMap((made) => made.slice(index, index + 1).map((batch) => outcomesOf(batch))).toSorted(() => Math.random() - 0.5),
  )

  await Promise.all([...calls, ...calls].map((batches) => caller.call(recordOutcomes, { batches })))

  for (const campaign of campaigns) expect(await stats(campaign)).toEqual({ ...noStats, queued: 60, sent: 60 })
  await until(() => campaigns.every(({ campaignId }) => heard.campaigns.includes(campaignId)))
})

test('announcements that webhooks has confirmed are deleted', async () => {
  const left = await until(
    async () => {
      const rows = await db.selectFrom('announcements').select('id').execute()
      return rows.length === 0 && { rows }
    },
    { what: 'an empty table of announcements' },
  )
  expect(left.rows).toEqual([])
})

test('another app cannot read the statistics of a campaign', async () => {
  const campaign = givenCampaign()
  await report(caller, campaign, batchesOf(campaign, givenOutcomes(1)))
  expect(await caller.call(readStats, { appId: newId(), campaignId: campaign.campaignId })).toBeNull()
})

// spec: running/locked-row
test('outcomes whose campaign another transaction keeps locked are refused within 3 s, and those of other campaigns are counted', async () => {
  const [locked, other] = [givenCampaign(), givenCampaign()]
  const [[stuck], [free]] = [batchesOf(locked, givenOutcomes(5)), batchesOf(other, givenOutcomes(5))] as [[Batch], [Batch]]
  await report(caller, locked, [stuck])
  await report(caller, other, [free])

  await db.transaction().execute(async (trx) => {
    await sql`select from counters where campaign_id = ${locked.campaignId} for update`.execute(trx)
    const answers = await Promise.allSettled([stuck, free].map((batch) => caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })))
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { code: 'queue_unavailable' } },
      { status: 'fulfilled', value: { recorded: 5 } },
    ])
  })
  // Its caller may have given up before the tracker did.
  await caller.call(recordOutcomes, { batches: [outcomesOf(stuck)] })
  expect(await stats(locked)).toMatchObject({ queued: 5, sent: 5 })
})
