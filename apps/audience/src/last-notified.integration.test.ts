import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { fanOut } from './sends/fan-out.ts'
import { eraseApp } from './erase-app.ts'
import { findFanOut } from './sends/store/fan-outs.ts'
import { finished, withBatches } from './testing/batches.ts'
import { givenAsking } from './testing/play-ledger.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from './testing/rig.ts'

/** These tests show that lastNotifiedAt is exact for an app that asks for it, and that nothing is written for other apps. */

const rig = await openAudience()
const { audience, db, peers, dispatcher, startProcess } = rig
const { takeOne, finish, givenBatch } = withBatches(rig)
await startProcess()
afterEach(() => void Object.assign(peers.state, { trackerIsAway: false, notifiedAnswersAfter: Promise.resolve() }))

const ever = { field: 'lastNotifiedAt', op: 'exists', value: true }
const after = (at: string) => ({ field: 'lastNotifiedAt', op: 'gte', value: at })
const preview = async (appId: string, segment: unknown) => (await dispatcher.bus.call(calls.previewSegment, { appId, segment })).count
const notesOf = async (ids: string[]) => {
  const rows = await db.selectFrom('last_notified').selectAll().where('subscription_id', 'in', ids).execute()
  return Object.fromEntries(rows.map(({ subscription_id, at }) => [subscription_id, at.toISOString()]))
}
const sendToAll = async (appId: string) => {
  const { batchId, takes } = await takeOne(await givenBatch(appId))
  await finish(finished(batchId, takes))
}
const namedAgo = (appId: string, interval: string) =>
  sql`update notified_apps set named_at = now() - ${interval}::interval where app_id = ${appId}`.execute(db)

test('for an app that never asks when its devices were last sent to, audience does not store it', async () => {
  const appId = newId()
  const devices = await givenCrowd(db, { appId, count: 3 })
  await preview(appId, { field: 'platform', op: 'eq', value: 'ios' })
  await sendToAll(appId)
  expect(await notesOf(devices)).toEqual({})
})

// spec: segments/last-notified-first-asked
test('an app that first asks for last pushes is answered from the ledger, and from then each push is noted', async () => {
  const appId = newId()
  const [one, two, never] = await givenCrowd(db, { appId, count: 3 })
  if (!one || !two || !never) throw new Error('three devices')
  const foreign = await givenDevice(db, { appId: newId() })
  const [old, middle, recent] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']
  peers.notified.set(appId, [
    [{ at: middle, subscriptionIds: [one, newId()] }],
    [
      { at: old, subscriptionIds: [one, two, foreign.id] },
      { at: recent, subscriptionIds: [two] },
    ],
    [],
  ])

  expect(await preview(appId, after(middle))).toBe(2)
  expect(await preview(appId, ever)).toBe(2)
  expect(await notesOf([one, two, never, foreign.id])).toEqual({ [one]: middle, [two]: recent })

  await sendToAll(appId)
  expect(await preview(appId, ever)).toBe(3)
  expect(Object.values(await notesOf([one, two, never])).every((at) => at > recent)).toBe(true)
})

test('a push sent while the ledger is read is noted, and older pushes do not overwrite its time', async () => {
  const appId = newId()
  const [device] = await givenCrowd(db, { appId, count: 1 })
  if (!device) throw new Error('no device')
  peers.notified.set(appId, [[{ at: '2026-01-01T00:00:00.000Z', subscriptionIds: [device] }]])
  const reading = Promise.withResolvers<void>()
  peers.state.notifiedAnswersAfter = reading.promise
  const asked = peers.state.askedNotified
  const counted = preview(appId, after('2026-06-01T00:00:00.000Z'))
  await until(() => peers.state.askedNotified > asked)

  await sendToAll(appId)
  reading.resolve()

  expect(await counted).toBe(1)
})

// spec: segments/last-notified-first-asked
test('while the ledger cannot be read, a count that asks for last pushes is refused, and such a send waits', async () => {
  const appId = newId()
  const devices = await givenCrowd(db, { appId, count: 2 })
  peers.notified.set(appId, [[{ at: '2026-01-01T00:00:00.000Z', subscriptionIds: devices.slice(0, 1) }]])
  peers.state.trackerIsAway = true
  await expect(preview(appId, ever)).rejects.toMatchObject({ code: 'rate_limited' })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'segment', segment: ever })
  await expect(fanOut(audience, { campaignId, page: 0 })).rejects.toMatchObject({ code: 'queue_unavailable' })

  peers.state.trackerIsAway = false
  await until(() =>
    fanOut(audience, { campaignId, page: 0 }).then(
      () => true,
      () => false,
    ),
  )
  const batches = await db.selectFrom('batches').select('subscription_ids').where('campaign_id', '=', campaignId).execute()
  expect(batches.flatMap(({ subscription_ids }) => subscription_ids)).toEqual(devices.slice(0, 1))
  expect((await findFanOut(db, campaignId))?.failures).toBe(0)
})

// spec: segments/last-notified-first-asked
test('audience notes an app’s pushes for seven days after it last asked; later it reads the ledger again', async () => {
  const appId = newId()
  const [device] = await givenCrowd(db, { appId, count: 1 })
  if (!device) throw new Error('no device')
  await givenAsking(db, appId)
  await namedAgo(appId, '6 days 23 hours')
  await sendToAll(appId)
  const [noted] = Object.values(await notesOf([device]))
  expect(noted).toBeDefined()

  await namedAgo(appId, '7 days 1 minute')
  await sendToAll(appId)
  expect(Object.values(await notesOf([device]))).toEqual([noted])
  const sinceThen = new Date(Date.now() + 60_000).toISOString()
  peers.notified.set(appId, [[{ at: sinceThen, subscriptionIds: [device] }]])
  expect(await preview(appId, after(sinceThen))).toBe(1)
})

test('when an app stops asking for lastNotifiedAt during a reading, its end does not complete the next reading', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 1 })
  const first = Promise.withResolvers<void>()
  peers.state.notifiedAnswersAfter = first.promise
  const asked = peers.state.askedNotified
  const refused = preview(appId, ever).catch((error: unknown) => error)
  await until(() => peers.state.askedNotified > asked)
  await namedAgo(appId, '30 days')
  await sql`update notified_apps set round = round + 1 where app_id = ${appId}`.execute(db)
  peers.state.trackerIsAway = true
  first.resolve()
  expect(await refused).toMatchObject({ code: 'rate_limited' })
  const { is_read } = await db.selectFrom('notified_apps').select('is_read').where('app_id', '=', appId).executeTakeFirstOrThrow()
  expect(is_read).toBe(false)
})

// spec: identity/last-notified
test('a user shows each device’s last push, from the ledger if the app never asked for it before', async () => {
  const appId = newId()
  const { id, userId } = await givenDevice(db, { appId })
  const read = async () => (await dispatcher.bus.call(calls.readUser, { appId, user: { userId } })).subscriptions[0]?.lastNotifiedAt
  expect(await read()).toBeNull()
  const [old, recent] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
  peers.notified.set(appId, [[{ at: old, subscriptionIds: [id] }], [{ at: recent, subscriptionIds: [id] }]])
  expect(await read()).toBe(recent)

  peers.state.trackerIsAway = true
  await expect(read()).rejects.toMatchObject({ code: 'queue_unavailable' })
  const changed = await dispatcher.bus.call(calls.changeUser, { appId, user: { userId }, changes: { language: 'de' } })
  expect(changed.language).toBe('de')
})

test('no row says that a deleted app asked for last pushes, even when it asks once more', async () => {
  const appId = newId()
  await givenAsking(db, appId)
  while (!(await eraseApp({ db }, { appId })).done);
  expect(await preview(appId, ever)).toBe(0)
  expect(await db.selectFrom('notified_apps').selectAll().where('app_id', '=', appId).execute()).toEqual([])
})
