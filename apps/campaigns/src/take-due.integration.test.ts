import { failCampaign, fanOutStarted, noteFailedStart, readCampaign, readSend, settleCampaigns } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { pointedAtOnce } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { acceptCampaigns } from './accept-campaigns.ts'
import { deleteOldNotifications, markSettled, markStarted, type NewCampaign } from './store/campaigns.ts'
import { insertCampaigns } from './store/new-campaigns.ts'
import { findDueAges, takeDueCampaigns } from './store/due.ts'
import { changeFlow } from './store/flows.ts'
import { deleteOldRecords, insertRecords } from './store/idempotency-keys.ts'
import type { Tables } from './store/tables.ts'
import { takeDue } from './take-due.ts'
import { tellDueFlows } from './tell-flows.ts'
import { fingerprintOf, givenAudience, givenCampaigns, givenStored } from './testing/given-campaigns.ts'

type Database = Awaited<ReturnType<typeof openDatabase<Tables>>>['db']
let db: Database
/** A database that no process sweeps. */
let quiet: Database
let audience: Awaited<ReturnType<typeof givenAudience>>
const { log } = testService('campaigns', {})
let tracker: Awaited<ReturnType<typeof givenPeer>>

beforeAll(async () => {
  const [database, other, natsUrl] = await Promise.all([freshDatabase(), freshDatabase(), freshNats()])
  const databaseUrl = database.url('campaigns')
  audience = await givenAudience(natsUrl, new Map())
  tracker = await givenPeer('tracker', natsUrl)
  await givenCampaigns({ databaseUrl, natsUrl })
  await givenCampaigns({ databaseUrl, natsUrl })
  ;({ db } = await openDatabase<Tables>(testService('campaigns', {}), { url: databaseUrl, poolSize: 4 }))
  ;({ db: quiet } = await openDatabase<Tables>(testService('campaigns', {}), { url: other.url('campaigns'), poolSize: 4 }))
})

/** Makes a send that names a user. The row loses the user's external id when the send ends. */
const toNames = (): NewCampaign => ({ ...givenStored(), target: { kind: 'externalIds', externalIds: ['customer-7'] } })
/** What is left of the target of `toNames` when the send has ended. */
const forgotten = { kind: 'forgotten', by: 'externalIds', count: 1 }

const makeDue = (database: Database, ids: string[]) =>
  database
    .updateTable('campaigns')
    .set({ due_at: sql<Date>`now() - interval '1 second'` })
    .where('id', 'in', ids)
    .execute()
const minutesAgo = (minutes: number) => sql<Date>`now() - ${minutes}::int * interval '1 minute'`
const rowOf = (id: string) => db.selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const pointersAt = (id: string) => audience.pointers.filter(({ campaignId }) => campaignId === id).length

test('two sweeps at the same time take each of 20 due sends once', async () => {
  const stored = Array.from({ length: 20 }, () => givenStored())
  await insertCampaigns(quiet, stored)
  expect(await takeDueCampaigns(quiet, 100)).toEqual([])
  const ids = stored.map(({ id }) => id)
  await makeDue(quiet, ids)

  const taken = (await Promise.all([takeDueCampaigns(quiet, 15), takeDueCampaigns(quiet, 15)])).flat()

  expect(taken.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(taken.every(({ pointerNo }) => pointerNo === 1)).toBe(true)
  expect(await takeDueCampaigns(quiet, 100)).toEqual([])
})

test('while a recurrence is planned the sweep looks each second, so another process runs it within two', async () => {
  const { db } = await openDatabase<Tables>(testService('campaigns', {}), { url: (await freshDatabase()).url('campaigns'), poolSize: 2 })
  const measures = { startedLate: () => undefined, missedOccurrences: () => undefined }
  const bus = { call: async () => ({}) as never, publish: async () => undefined }
  const look = () => takeDue({ db, bus, handOver: () => undefined, measures, log })
  expect(await look()).toEqual({ took: 0 })

  const recurrence = givenStored()
  await insertCampaigns(db, [recurrence])
  await db
    .updateTable('campaigns')
    .set({ status: 'active', due_at: sql<Date>`now() + interval '1 day'` })
    .where('id', '=', recurrence.id)
    .execute()
  expect(await look()).toEqual({ took: 0, nextInMs: 1_000 })
})

test('the metric’s ages say how long the oldest schedule, recurrence, pointer and flow change waited; 0 without any', async () => {
  const [scheduled, active, sending, paused] = Array.from({ length: 4 }, () => givenStored())
  await insertCampaigns(quiet, [scheduled!, active!, sending!, paused!])
  expect(await findDueAges(quiet)).toEqual({ schedules: 0, recurrences: 0, pointers: 0, flows: 0 })
  // The rows are changed without the API. No process sweeps this database, so they stay due.
  const waits = [
    [scheduled!.id, { status: 'scheduled', due_at: minutesAgo(1) }],
    [active!.id, { status: 'active', due_at: minutesAgo(2) }],
    [sending!.id, { due_at: minutesAgo(3) }],
    [paused!.id, { status: 'paused', due_at: null, flow_due_at: minutesAgo(4) }],
  ] as const
  for (const [id, fields] of waits) await quiet.updateTable('campaigns').set(fields).where('id', '=', id).execute()
  const ages = Object.entries(await findDueAges(quiet)).map(([queue, seconds]) => [queue, Math.floor(seconds / 60)])
  expect(Object.fromEntries(ages)).toEqual({ schedules: 1, recurrences: 2, pointers: 3, flows: 4 })
  await quiet
    .deleteFrom('campaigns')
    .where(
      'id',
      'in',
      waits.map(([id]) => id),
    )
    .execute()
})

// spec: sending/committed
test('audience gets a lost pointer again, with a new number each time, until it has started the send', async () => {
  const lost = givenStored()
  await insertCampaigns(db, [lost])
  await makeDue(db, [lost.id])
  await until(() => pointersAt(lost.id) === 1, { what: 'the first repair' })
  await makeDue(db, [lost.id])
  await until(() => pointersAt(lost.id) === 2, { what: 'the second repair' })

  await audience.bus.call(fanOutStarted, { campaignIds: [lost.id] })
  await audience.bus.call(fanOutStarted, { campaignIds: [lost.id] })
  expect(await rowOf(lost.id)).toMatchObject({ due_at: null, pointer_no: 2, status: 'sending', started_at: expect.any(Date) })
})

// spec: campaigns/settles
test('a campaign settles once, in whatever order and however often audience and the tracker report it', async () => {
  const [inOrder, reversed] = [toNames(), toNames()]
  await insertCampaigns(db, [inOrder, reversed])
  await audience.bus.call(fanOutStarted, { campaignIds: [inOrder.id] })
  await tracker.call(settleCampaigns, { campaignIds: [inOrder.id] })
  await tracker.call(settleCampaigns, { campaignIds: [reversed.id] })
  await audience.bus.call(fanOutStarted, { campaignIds: [reversed.id] })
  const settledAt = (await rowOf(inOrder.id)).settled_at
  await tracker.call(settleCampaigns, { campaignIds: [inOrder.id] })

  for (const { id } of [inOrder, reversed])
    expect(await rowOf(id)).toMatchObject({ status: 'sent', due_at: null, settled_at: expect.any(Date), target: forgotten })
  expect((await rowOf(inOrder.id)).settled_at).toEqual(settledAt)
  expect(await audience.bus.call(readSend, { campaignId: inOrder.id })).toBeNull()
})

// spec: campaigns/failed
test('a campaign that audience cannot fan out fails with the reason, and stays failed', async () => {
  const broken = toNames()
  await insertCampaigns(db, [broken])
  const failure = { code: 'invalid_segment', message: 'The segment names an unknown field.' }
  await audience.bus.call(failCampaign, { campaignId: broken.id, ...failure })
  await audience.bus.call(failCampaign, { campaignId: broken.id, code: 'other', message: 'Later.' })
  await tracker.call(settleCampaigns, { campaignIds: [broken.id] })
  expect(await rowOf(broken.id)).toMatchObject({ status: 'failed', failure, due_at: null, target: forgotten })
})

// spec: sending/failed-start
test('a send that audience cannot begin fails with the fifth failure; a pointer counts once, however often its start fails', async () => {
  const bad = toNames()
  await insertCampaigns(db, [bad])
  for (let failures = 1; failures <= 4; failures += 1) {
    await audience.bus.call(noteFailedStart, { campaignId: bad.id })
    await audience.bus.call(noteFailedStart, { campaignId: bad.id })
    expect(await rowOf(bad.id)).toMatchObject({ status: 'sending', failed_starts: failures })
    await makeDue(db, [bad.id])
    await until(() => pointersAt(bad.id) === failures, { what: 'audience is told again' })
  }
  await audience.bus.call(noteFailedStart, { campaignId: bad.id })
  expect(await rowOf(bad.id)).toMatchObject({ status: 'failed', failure: { code: 'internal' }, due_at: null, target: forgotten })
  expect(await tracker.call(readCampaign, { appId: bad.appId, campaignId: bad.id })).toMatchObject({ status: 'failed' })
})

// spec: sending/failed-start
test('a send whose row cannot be read fails after five tries, and other sends go on', async () => {
  const bad = { ...givenStored(), target: null }
  await insertCampaigns(db, [bad])
  for (let tries = 1; tries <= 5; tries += 1) {
    expect(await audience.bus.call(readSend, { campaignId: bad.id })).toBeNull()
    if (tries < 5) await makeDue(db, [bad.id])
    await until(() => pointersAt(bad.id) >= Math.min(tries, 4), { what: 'audience is told again' })
  }
  expect(await rowOf(bad.id)).toMatchObject({ status: 'failed', failure: { code: 'internal' } })
})

// spec: sending/failed-start
test('a failed start of a send that audience has begun does not count', async () => {
  const begun = givenStored()
  await insertCampaigns(db, [begun])
  await audience.bus.call(fanOutStarted, { campaignIds: [begun.id] })
  await audience.bus.call(noteFailedStart, { campaignId: begun.id })
  expect(await rowOf(begun.id)).toMatchObject({ status: 'sending', failed_starts: null })
})

// spec: sending/one-failing-row
test('when one campaign’s row cannot be written, other due campaigns start, are pointed at and told', async () => {
  const database = await openQuiet()
  const { rows: made } = { rows: Array.from({ length: 6 }, () => givenStored()) }
  await insertCampaigns(database, made)
  const [badPlan, plan, badSend, send, badFlow, flow] = made.map(({ id }) => id)
  const set = (id = '', fields: object) => database.updateTable('campaigns').set(fields).where('id', '=', id).execute()
  for (const id of [badPlan, plan]) await set(id, { status: 'scheduled', due_at: minutesAgo(1) })
  for (const id of [badSend, send]) await set(id, { due_at: minutesAgo(1) })
  for (const id of [badFlow, flow]) await set(id, { status: 'paused', due_at: null, flow_due_at: minutesAgo(1), flow_no: 1 })
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`.execute(
    database,
  )
  await sql`
    create trigger refuse before update on campaigns for each row when (new.id in (${sql.lit(badPlan)}, ${sql.lit(badSend)}, ${sql.lit(badFlow)}))
    execute function refuse()`.execute(database)

  const published: unknown[] = []
  const told: unknown[] = []
  const bus = {
    call: async (_call: unknown, request: unknown) => (told.push(request), { known: true }) as never,
    publish: async (_subject: unknown, body: unknown) => void published.push(body),
  }
  const measures = { startedLate: () => undefined, missedOccurrences: () => undefined }
  await takeDue({ db: database, bus, handOver: () => undefined, measures, log })
  await tellDueFlows({ db: database, bus, log })

  expect(published).toEqual(expect.arrayContaining([plan, send].map((campaignId) => expect.objectContaining({ campaignId }))))
  expect(published).toHaveLength(2)
  expect(told).toEqual([expect.objectContaining({ campaignId: flow })])
})

// spec: sending/one-failing-row
test('while a transaction holds a campaign’s row, the call’s others start and settle, and it alone is refused', async () => {
  const [held, free] = [givenStored(), givenStored()]
  await insertCampaigns(db, [held, free])
  await db.transaction().execute(async (other) => {
    await other.selectFrom('campaigns').select('id').where('id', '=', held.id).forUpdate().execute()
    const campaignIds = [held.id, free.id]
    await expect(audience.bus.call(fanOutStarted, { campaignIds })).rejects.toMatchObject({ code: 'internal' })
    expect(await rowOf(free.id)).toMatchObject({ started_at: expect.any(Date), due_at: null })
    await expect(tracker.call(settleCampaigns, { campaignIds })).rejects.toMatchObject({ code: 'internal' })
    expect(await rowOf(free.id)).toMatchObject({ status: 'sent' })
    expect(await audience.bus.call(fanOutStarted, { campaignIds: [free.id] })).toMatchObject({ flows: [{ flow: 'running' }] })
  })
  await tracker.call(settleCampaigns, { campaignIds: [held.id] })
  expect(await rowOf(held.id)).toMatchObject({ status: 'sent' })
})

test('the status of a campaign can be read only by its app', async () => {
  const mine = givenStored()
  await insertCampaigns(db, [mine])
  expect(await tracker.call(readCampaign, { appId: mine.appId, campaignId: mine.id })).toEqual({
    id: mine.id,
    name: 'notification',
    status: 'sending',
    cancelling: false,
    transactional: true,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(await tracker.call(readCampaign, { appId: newId(), campaignId: mine.id })).toBeNull()
})

// spec: campaigns/retention, running/retention
test('idempotency records and ended notifications are deleted after their retention; notifications that have not ended stay', async () => {
  const longAgo = new Date(Date.now() - 91 * 86_400_000)
  const [ended, stuck, paused, endedLate] = [
    givenStored(newId(longAgo)),
    givenStored(newId(longAgo)),
    givenStored(newId(longAgo)),
    givenStored(newId(longAgo)),
  ]
  const fresh = givenStored()
  const ids = [ended, stuck, paused, endedLate, fresh].map(({ id }) => id)
  await insertCampaigns(quiet, [ended, stuck, paused, endedLate, fresh])
  await changeFlow(quiet, { appId: paused.appId, campaignId: paused.id }, 'pause')
  await markSettled(quiet, [ended.id, endedLate.id, fresh.id])
  await quiet.updateTable('campaigns').set({ settled_at: longAgo }).where('id', '=', ended.id).execute()
  expect(await deleteOldNotifications(quiet, 90)).toBe(1)
  const left = await quiet.selectFrom('campaigns').select('id').where('id', 'in', ids).execute()
  expect(left.map(({ id }) => id).toSorted()).toEqual([stuck.id, paused.id, endedLate.id, fresh.id].toSorted())

  const appId = newId()
  const record = (key: string) => ({ appId, key, fingerprint: fingerprintOf('a'), answer: { id: newId(), status: 'sending' as const } })
  await insertRecords(quiet, [record('old'), record('new')])
  await quiet
    .updateTable('idempotency_keys')
    .set({ created_at: sql`now() - interval '24 hours'` })
    .where('key', '=', 'old')
    .execute()
  expect(await deleteOldRecords(quiet, 24)).toBe(1)
  expect(await quiet.selectFrom('idempotency_keys').select('key').where('app_id', '=', appId).execute()).toEqual([{ key: 'new' }])
})

/** Opens a new database, so that the only apps in it are those of the test. */
async function openQuiet() {
  const database = await freshDatabase()
  return (await openDatabase<Tables>(testService('campaigns', {}), { url: database.url('campaigns'), poolSize: 4 })).db
}

// spec: sending/turns
test('due sends of all apps are taken in turn, and of one app at most 64 wait for audience', async () => {
  const quietOne = await openQuiet()
  const flood = Array.from({ length: 300 }, () => givenStored())
  const [flooding, other] = [newId(), newId()]
  const theirs = [
    ...flood.map((stored) => ({ ...stored, appId: flooding })),
    ...Array.from({ length: 3 }, () => ({ ...givenStored(), appId: other })),
  ]
  await insertCampaigns(quietOne, theirs)
  await makeDue(
    quietOne,
    theirs.map(({ id }) => id),
  )
  const appOf = new Map(theirs.map(({ id, appId }) => [id, appId]))
  const appsOf = (taken: { id: string }[]) => taken.map(({ id }) => appOf.get(id))

  // Two of the first four sends are of the second app, though the first app has 300 due sends and the second has 3.
  expect(appsOf(await takeDueCampaigns(quietOne, 4)).filter((appId) => appId === other)).toHaveLength(2)
  const rest = appsOf(await takeDueCampaigns(quietOne, 1_000))
  expect(rest.filter((appId) => appId === other)).toHaveLength(1)
  expect(rest.filter((appId) => appId === flooding)).toHaveLength(pointedAtOnce - 2)
  // Each send that audience starts lets another one be taken.
  expect(await takeDueCampaigns(quietOne, 1_000)).toEqual([])
  const [first, second] = await quietOne
    .selectFrom('campaigns')
    .select('id')
    .where('pointer_no', '=', 1)
    .where('app_id', '=', flooding)
    .execute()
  await markStarted(quietOne, [first!.id, second!.id])
  expect(appsOf(await takeDueCampaigns(quietOne, 1_000))).toEqual([flooding, flooding])
})

// spec: sending/turns
test('of an app’s 100 sends accepted at once audience is told of 64, and one more per start', async () => {
  const quietOne = await openQuiet()
  const flooding = newId()
  const pointed: string[] = []
  let waited = 0
  const items = Array.from({ length: 100 }, () => ({ campaign: { ...givenStored(), appId: flooding }, idempotency: null }))
  await acceptCampaigns(
    { db: quietOne, idempotencyHours: 24, start: ({ id }) => void pointed.push(id), haveWaiting: () => void (waited += 1) },
    items,
  )
  expect(pointed).toHaveLength(pointedAtOnce)
  expect(waited).toBe(1)
  const another = { campaign: { ...givenStored(), appId: newId() }, idempotency: null }
  await acceptCampaigns({ db: quietOne, idempotencyHours: 24, start: ({ id }) => void pointed.push(id), haveWaiting: () => undefined }, [
    another,
  ])
  expect(pointed.at(-1)).toBe(another.campaign.id)
  expect(await takeDueCampaigns(quietOne, 1_000)).toEqual([])
  await markStarted(quietOne, pointed.slice(0, 10))
  expect(await takeDueCampaigns(quietOne, 1_000)).toHaveLength(10)
})
