import { defaultSettings } from '@herald/contracts/app'
import { smallSend } from '@herald/contracts/batch'
import { startSends, type FrozenSmallSend } from '@herald/contracts/calls/audience'
import type { FrozenSend } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import { pointedAtOnce } from '@herald/contracts/topology'
import { markErased } from '@herald/service/erased-apps'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fanOut } from './fan-out.ts'
import { openToldNotes } from './note-told.ts'
import { openStarting, type Begun } from './start-sends.ts'
import { findFanOut } from './store/fan-outs.ts'
import { findFew } from './store/small-sends.ts'
import { sweepDue } from '../sweep-due.ts'
import { openTelling } from './tell-started.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

/** A sweep runs in these tests only when a test asks for it, so that they see what beginning the sends does by itself. */
const rig = await openAudience()
const { db, audience, peers, dispatcher } = rig
const tell = openTelling(audience)
const goOn = (begun: Begun) => void tell(begun).catch(() => undefined)
const start = openStarting(audience, goOn)
beforeEach(() => sql`truncate fan_outs, batches, circuits`.execute(db))
afterEach(() => {
  peers.state.trackerIsAway = false
  peers.flows.clear()
})

const batchesOf = (campaignId: string) =>
  db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).orderBy('batch_no').execute()
const queuedIn = async (campaignId: string) => (await batchesOf(campaignId)).flatMap((batch) => batch.subscription_ids).toSorted()
const pointersAt = (campaignId: string) => dispatcher.pointers.filter((pointer) => pointer.campaignId === campaignId)
const toDevice = (send: FrozenSend, id: string): FrozenSmallSend => ({ send, target: { kind: 'subscriptionIds', subscriptionIds: [id] } })
async function transactionOf(campaignId: string): Promise<string | undefined> {
  const { rows } = await sql<{ xmin: string }>`select xmin::text as xmin from fan_outs where campaign_id = ${campaignId}`.execute(db)
  return rows[0]?.xmin
}
const campaignOf = ({ send }: FrozenSmallSend) => send.campaignId

describe('small sends that campaigns hands over together', () => {
  test('small sends begun in one transaction go to the same devices as alone, and campaigns and tracker are told', async () => {
    const [appId, otherApp] = [newId(), newId()]
    const ann = await givenDevice(db, { appId, externalId: 'ann' })
    const annsTablet = await givenDevice(db, { appId, userId: ann.userId, platform: 'android' })
    const bob = await givenDevice(db, { appId, externalId: 'bob', platform: 'web' })
    const out = await givenDevice(db, { appId, userId: bob.userId })
    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', '=', out.id).execute()
    const foreign = await givenDevice(db, { appId: otherApp, externalId: 'ann' })
    const targets: FrozenSmallSend['target'][] = [
      { kind: 'externalIds', externalIds: ['ann', 'bob', 'ann', 'nobody'] },
      { kind: 'userIds', userIds: [bob.userId, foreign.userId, newId(), bob.userId] },
      { kind: 'subscriptionIds', subscriptionIds: [annsTablet.id, foreign.id, out.id, annsTablet.id] },
      { kind: 'externalIds', externalIds: ['nobody'] },
    ]
    const handed = [
      ...targets.map((target) => ({ send: givenSend(appId), target })),
      { send: givenSend(otherApp), target: { kind: 'externalIds' as const, externalIds: ['ann'] } },
    ]
    // The same sends begin one by one, to compare their devices.
    const alone = handed.map(({ send, target }) => peers.givenCampaign({ ...send, campaignId: newId() }, target))
    for (const campaignId of alone) await fanOut(audience, { campaignId, page: 0 })
    const reported = peers.reports.length

    await start(handed)

    const together = handed.map(campaignOf)
    for (const [index, campaignId] of together.entries()) expect(await queuedIn(campaignId)).toEqual(await queuedIn(alone[index] ?? ''))
    expect(await queuedIn(together[0] ?? '')).toEqual([ann.id, annsTablet.id, bob.id].toSorted())
    expect(new Set(await Promise.all(together.map(transactionOf))).size).toBe(1)
    for (const campaignId of together)
      expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', lane: 'prompt', target: null, page: 2 })
    await until(() => peers.reports.length === reported + together.length)
    for (const campaignId of together) {
      const { byPlatform, fannedOut, batches = [] } = peers.lastReport(campaignId) ?? {}
      const made = await batchesOf(campaignId)
      expect(fannedOut).toBe(true)
      expect(batches.map(({ no }) => no)).toEqual(made.map(({ batch_no }) => batch_no))
      expect(Object.values(byPlatform ?? {}).reduce((sum, count) => sum + count, 0)).toBe(
        made.flatMap((one) => one.subscription_ids).length,
      )
      expect(peers.started).toContain(campaignId)
      await until(() => pointersAt(campaignId).length === made.length, { what: 'a pointer at each batch' })
      expect(pointersAt(campaignId).every(({ size }) => size !== undefined && size > 0)).toBe(true)
    }
  })

  test('when one of several small sends cannot be begun, the others begin', async () => {
    const appId = newId()
    const { id } = await givenDevice(db, { appId })
    const [first, broken, last] = [givenSend(appId), givenSend(appId, { name: 'with a \u0000 that no row can hold' }), givenSend(appId)]
    const points: string[] = []
    const noted = openStarting(
      { ...audience, bus: { ...audience.bus, publish: async (_, body) => void points.push(JSON.stringify(body)) } },
      goOn,
    )

    await noted([first, broken, last].map((send) => toDevice(send, id)))

    expect(await queuedIn(first.campaignId)).toEqual([id])
    expect(await queuedIn(last.campaignId)).toEqual([id])
    expect(await findFanOut(db, broken.campaignId)).toBeUndefined()
    // A pointer is published at the send that failed. So `fanOut` begins it alone, and tries it again after longer and longer waits.
    expect(points.map((body) => JSON.parse(body))).toEqual([{ campaignId: broken.campaignId, page: 0, appId }])
    await until(() => pointersAt(last.campaignId).length === 1)
  })

  test('a send to more than 100 devices, or with a cap, goes by pointer and not with small sends', async () => {
    const [appId, capped] = [newId(), newId()]
    const crowd = await givenCrowd(db, { appId, count: smallSend + 1 })
    const { user_id: many } = await db
      .selectFrom('subscriptions')
      .select('user_id')
      .where('id', '=', crowd[0] ?? '')
      .executeTakeFirstOrThrow()
    await db.updateTable('subscriptions').set({ user_id: many }).where('app_id', '=', appId).execute()
    const { id } = await givenDevice(db, { appId: capped })
    peers.settings.set(capped, { ...defaultSettings, frequencyCap: { max: 1, windowSeconds: 86_400 } })
    const handed: FrozenSmallSend[] = [
      { send: givenSend(appId), target: { kind: 'userIds', userIds: [many] } },
      toDevice(givenSend(capped), id),
    ]
    const points: unknown[] = []
    await openStarting({ ...audience, bus: { ...audience.bus, publish: async (_, body) => void points.push(body) } }, goOn)(handed)

    expect(points).toHaveLength(handed.length)
    for (const { send } of handed) expect(points).toContainEqual({ campaignId: send.campaignId, page: 0, appId: send.appId })
    for (const one of handed) expect(await findFanOut(db, campaignOf(one))).toBeUndefined()
  })

  test('when campaigns hands over a small send several times at once, it has one batch with one pointer', async () => {
    const appId = newId()
    const { id } = await givenDevice(db, { appId })
    const one = toDevice(givenSend(appId), id)
    peers.givenCampaign(one.send, one.target)
    const other = openStarting(audience, goOn)

    await Promise.all([start([one, one]), other([one]), start([one])])

    expect(await batchesOf(campaignOf(one))).toHaveLength(1)
    await until(() => pointersAt(campaignOf(one)).length === 1)
  })

  test('a small send of an erased app is not begun', async () => {
    const appId = newId()
    const { id } = await givenDevice(db, { appId })
    await markErased(db, 'audience', appId)
    const one = toDevice(givenSend(appId), id)

    await start([one])

    expect(await findFanOut(db, campaignOf(one))).toBeUndefined()
    expect(await batchesOf(campaignOf(one))).toEqual([])
  })
})

test('a small send skips exactly the users who are in quiet hours now, each by the user’s own time zone', async () => {
  const appId = newId()
  const { id, userId } = await givenDevice(db, { appId })
  const { id: awake } = await givenDevice(db, { appId })
  await db.updateTable('users').set({ timezone: 'Asia/Tokyo' }).where('id', '=', userId).execute()
  const hourIn = (zone: string) => Number(new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone: zone }).format())
  const at = (hour: number) => `${String((hour + 24) % 24).padStart(2, '0')}:00`
  const hour = hourIn('Asia/Tokyo')
  const quietHours = { start: at(hour - 1), end: at(hour + 2), action: 'skip' as const }
  peers.settings.set(appId, { ...defaultSettings, quietHours })
  const one: FrozenSmallSend = { send: givenSend(appId), target: { kind: 'subscriptionIds', subscriptionIds: [id, awake] } }

  await start([one])

  const made = await batchesOf(campaignOf(one))
  expect(made.flatMap(({ decided }) => decided ?? [])).toMatchObject([{ subscriptionId: id, outcome: 'skipped', code: 'quiet_hours' }])
  expect(made.filter(({ decided }) => decided === null).flatMap((batch) => batch.subscription_ids)).toEqual([awake])
})

// spec: sending/committed
test('when a process dies before it told of small sends, the sweep tells, then points at the batches', async () => {
  const appId = newId()
  const devices = await Promise.all(Array.from({ length: 3 }, () => givenDevice(db, { appId })))
  const handed = devices.map(({ id }) => toDevice(givenSend(appId), id))
  // The function that would tell campaigns and tracker does nothing, as if the process died after it had inserted the rows.
  await openStarting(audience, () => undefined)(handed)
  for (const one of handed) expect(await findFanOut(db, campaignOf(one))).toMatchObject({ toldPage: 0, toldBatches: 0 })
  await sql`update batches set due_at = now()`.execute(db)

  await sweepDue(audience)

  for (const one of handed) {
    const [batch] = await batchesOf(campaignOf(one))
    expect(peers.lastReport(campaignOf(one))?.batches.map(({ no }) => no)).toEqual([batch?.batch_no])
    expect(await findFanOut(db, campaignOf(one))).toMatchObject({ toldPage: 2, toldBatches: 1, dueAt: null })
    await until(() => pointersAt(campaignOf(one)).length === 1)
  }
})

test('while the tracker is away no pointer at a small send’s batch is published; afterwards the sweep does it', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const one = toDevice(givenSend(appId), id)
  peers.state.trackerIsAway = true
  const reached = peers.started.length

  await start([one])
  await until(() => peers.started.length > reached, { what: 'campaigns to hear of it' })

  expect(pointersAt(campaignOf(one))).toEqual([])
  expect(await findFanOut(db, campaignOf(one))).toMatchObject({ toldPage: 0, dueAt: expect.any(Date) })
  peers.state.trackerIsAway = false
  await sql`update batches set due_at = now()`.execute(db)
  await sweepDue(audience)
  await until(() => pointersAt(campaignOf(one)).length === 1)
})

// spec: limits/database-read-only
test('a small send waits for no sweep when the tracker’s database is back a moment after audience’s', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const one = toDevice(givenSend(appId), id)
  peers.state.reportsWithoutDatabase = 2

  await start([one])
  await until(() => pointersAt(campaignOf(one)).length === 1)
  expect(peers.state.reportsWithoutDatabase).toBe(0)
})

test('a send that is cancelled or paused while it begins goes to no device', async () => {
  const process = await rig.startProcess()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const [cancelled, paused] = [toDevice(givenSend(appId), id), toDevice(givenSend(appId), id)]
  peers.flows.set(campaignOf(cancelled), { flow: 'cancelled', no: 1 })
  peers.flows.set(campaignOf(paused), { flow: 'paused', no: 1 })

  await dispatcher.bus.call(startSends, { sends: [cancelled, paused] })

  await until(() => pointersAt(campaignOf(cancelled)).length > 0 && pointersAt(campaignOf(paused)).length > 0)
  const [ofCancelled, ofPaused] = [(await batchesOf(campaignOf(cancelled)))[0], (await batchesOf(campaignOf(paused)))[0]]
  const taken = await dispatcher.take(ofCancelled?.id ?? '')
  expect(taken.answer).toBe('taken')
  expect((await batchesOf(campaignOf(cancelled)))[0]?.decided).toMatchObject([
    { subscriptionId: id, outcome: 'skipped', code: 'cancelled' },
  ])
  expect(await dispatcher.take(ofPaused?.id ?? '')).toEqual({ answer: 'held' })
  await process.stop()
})

// spec: sending/turns
test('beside an app’s flood another’s send is in the first two commits, and 64 of the flood have pointers', async () => {
  const [flooding, honest] = [newId(), newId()]
  const [of, ofHonest] = await Promise.all([givenDevice(db, { appId: flooding }), givenDevice(db, { appId: honest })])
  const flood = Array.from({ length: 120 }, () => toDevice(givenSend(flooding), of.id))
  const [first, ...rest] = flood
  if (!first) throw new Error('no flood')
  const one = toDevice(givenSend(honest), ofHonest.id)
  // Reads the settings first: then no send waits for the gateway, and the sends begin in the order in which they are handed over.
  await Promise.all([flooding, honest].map(audience.settingsOf))

  await Promise.all([start([first]), ...rest.map((each) => start([each])), start([one])])

  const places = [
    ...new Set(
      (await sql<{ xmin: string }>`select xmin::text as xmin from fan_outs order by xmin::text::bigint`.execute(db)).rows.map(
        ({ xmin }) => xmin,
      ),
    ),
  ]
  // The other app's send was handed over last of 121, and was begun in one of the first two transactions.
  expect(places.length).toBeGreaterThan(1)
  expect([0, 1]).toContain(places.indexOf((await transactionOf(campaignOf(one))) ?? ''))
  const { rows } = await sql<{
    waiting: number
  }>`select count(*) as waiting from batches where app_id = ${flooding} and due_at <= now()`.execute(db)
  expect(rows).toEqual([{ waiting: flood.length - pointedAtOnce }])
})

test('audience stores after 2 s that campaigns and tracker were told of a send, unless it is settled', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const handed = [toDevice(givenSend(appId), id), toDevice(givenSend(appId), id)]
  await openStarting(audience, () => undefined)(handed)
  let now = 0
  const notes = openToldNotes(db, audience.log, () => now)
  notes.note(handed.map((one) => ({ campaignId: campaignOf(one), page: 2, batches: 1 })))
  notes.forget(handed.slice(1).map(campaignOf))
  expect(await notes.write()).toBe(0)

  now = 2_001
  expect(await notes.write()).toBe(1)

  expect(await findFanOut(db, campaignOf(handed[0]!))).toMatchObject({ toldPage: 2, toldBatches: 1, dueAt: null })
  expect(await findFanOut(db, campaignOf(handed[1]!))).toMatchObject({ toldPage: 0 })
})

test('audience finds the devices of small sends by keys among 20,000 devices, with and without planner statistics', async () => {
  const appId = newId()
  const names = Array.from({ length: 50 }, () => newId())
  const targets: FrozenSmallSend['target'][] = [
    { kind: 'externalIds', externalIds: names },
    { kind: 'userIds', userIds: names },
    { kind: 'subscriptionIds', subscriptionIds: names },
  ]
  /** Counts the rows of users and devices that finding the devices reads without an index. */
  const readWithoutIndex = () =>
    db.transaction().execute(async (trx) => {
      await findFew(
        trx,
        targets.map((target) => ({ appId, target, withZones: true })),
      )
      const { rows } = await sql<{ read: number }>`
        select coalesce(sum(seq_tup_read), 0)::int as read from pg_stat_xact_user_tables where relname in ('users', 'subscriptions')`.execute(
        trx,
      )
      return rows[0]?.read
    })

  await givenCrowd(db, { appId, count: 20_000 })
  expect(await readWithoutIndex()).toBe(0)
  await sql`analyze users, subscriptions`.execute(db)
  expect(await readWithoutIndex()).toBe(0)
})
