import { confirmAudienceAnnouncements, findSegment, finishBatch, registerSubscription, renewBatch } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertBatches } from './sends/store/made-batches.ts'
import { takeBatches } from './delivery/store/taken-batches.ts'
import { makeUntakenDue } from './store/due.ts'
import { findFanOut, toFanOut } from './sends/store/fan-outs.ts'
import { fanOut } from './sends/fan-out.ts'
import { retried } from './testing/batches.ts'
import { givenEndpoint } from './testing/play-ledger.ts'
import { givenDevice, givenFanOut, givenSend, nothingHeard, openAudience } from './testing/rig.ts'

/** Audience runs in these tests. They leave rows as a process that died would have left them, and audience must go on from these rows. */
const { startProcess, audience, db, bus, peers, dispatcher } = await openAudience()
await startProcess()

/** Sets the `due_at` of a fan-out and of its unfinished batches to now, as if some time had passed since a crash. */
const nowDue = async (campaignId: string) => {
  await db
    .updateTable('fan_outs')
    .set({ due_at: sql<Date>`now()` })
    .where('campaign_id', '=', campaignId)
    .execute()
  await db
    .updateTable('batches')
    .set({ due_at: sql<Date>`now()` })
    .where('campaign_id', '=', campaignId)
    .where('done_at', 'is', null)
    .execute()
}
const pointersAt = (campaignId: string) => dispatcher.pointers.filter((pointer) => pointer.campaignId === campaignId)

test('when a process dies right after it inserted a fan-out, the send still goes to every device', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = await givenFanOut(db, givenSend(appId))

  await nowDue(campaignId)

  await until(() => pointersAt(campaignId).length > 0)
  await until(async () => (await findFanOut(db, campaignId))?.dueAt === null)
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 1 } })
})

test('when a process dies right after it made a page, the tracker is told first, then the batches go out', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const other = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId: other, page: 0 })
  await until(() => pointersAt(other).length === 1)
  const send = givenSend(appId)
  await givenFanOut(db, send)
  const row = await db
    .updateTable('fan_outs')
    .set({ page: 2, state: 'fanned_out', lane: 'prompt', queued_ios: 1 })
    .where('campaign_id', '=', send.campaignId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertBatches(db, toFanOut(row), 'prompt', [
    { id: newId(), no: 1, platform: 'ios', subscriptionIds: [device.id], userIds: [device.userId], decided: null },
  ])
  peers.state.trackerIsAway = true

  await nowDue(send.campaignId)
  await until(async () => (await findFanOut(db, send.campaignId))?.pointerNo !== 0)
  // Sweeps run one after another: when a later sweep has published a pointer, this sweep has published all of its pointers.
  await nowDue(other)
  await until(() => pointersAt(other).length === 2)
  expect(pointersAt(send.campaignId)).toEqual([])
  peers.state.trackerIsAway = false
  await nowDue(send.campaignId)

  await until(() => pointersAt(send.campaignId).length > 0)
  expect(peers.lastReport(send.campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 1 } })
})

// spec: sending/committed
test('the sweep points again at a batch that no dispatcher took, each time with another message id', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  await until(() => pointersAt(campaignId).length === 1)

  await nowDue(campaignId)
  await until(() => pointersAt(campaignId).length === 2)
  await nowDue(campaignId)

  await until(() => pointersAt(campaignId).length === 3)
  expect(new Set(pointersAt(campaignId).map(({ batchId }) => batchId)).size).toBe(1)
})

// spec: sending/take-over
test('the sweep points at a dead dispatcher’s batch when its lease ends, and not before', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  await until(() => pointersAt(campaignId).length === 1)
  const batchId = pointersAt(campaignId)[0]?.batchId ?? ''
  await takeBatches(db, [{ batchId, credentialsVersion: null }])
  const { due_at, lease_until } = await db.selectFrom('batches').selectAll().where('id', '=', batchId).executeTakeFirstOrThrow()
  expect(due_at).toEqual(lease_until)

  await db
    .updateTable('batches')
    .set({ due_at: sql<Date>`now()`, lease_until: sql<Date>`now()` })
    .where('id', '=', batchId)
    .execute()

  await until(() => pointersAt(campaignId).length === 2)
  expect((await dispatcher.take(batchId)).answer).toBe('taken')
})

test('when NATS is back the sweep points at untaken batches at once, not at taken or waiting ones', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const send = givenSend(appId)
  const campaignId = await givenFanOut(db, send)
  const row = await db
    .updateTable('fan_outs')
    .set({ page: 2, state: 'fanned_out', lane: 'prompt', told_page: 2, due_at: null })
    .where('campaign_id', '=', campaignId)
    .returningAll()
    .executeTakeFirstOrThrow()
  const [free, taken, later] = [newId(), newId(), newId()]
  const batch = (id: string) => ({
    id,
    no: 1,
    platform: 'ios' as const,
    subscriptionIds: [device.id],
    userIds: [device.userId],
    decided: null,
  })
  await insertBatches(db, toFanOut(row), 'prompt', [free, taken, later].map(batch))
  const far = sql<Date>`now() + interval '1 hour'`
  await db.updateTable('batches').set({ due_at: far }).where('id', 'in', [free, taken, later]).execute()
  await db.updateTable('batches').set({ takes: 1, lease_until: far }).where('id', '=', taken).execute()
  await db.updateTable('batches').set({ not_before: far }).where('id', '=', later).execute()

  await makeUntakenDue(db)

  await until(() => pointersAt(campaignId).length > 0)
  const untouched = await db
    .selectFrom('batches')
    .select('id')
    .where('id', 'in', [taken, later])
    .where('due_at', '>', sql<Date>`now() + interval '50 minutes'`)
    .execute()
  expect(untouched).toHaveLength(2)
  expect(pointersAt(campaignId)).toMatchObject([{ batchId: free }])
})

test('the sweep points at a batch of retries when its time has come', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const batchId = (await until(() => pointersAt(campaignId)[0])).batchId
  const taken = await dispatcher.take(batchId)
  if (taken.answer !== 'taken') throw new Error('not taken')
  expect(await dispatcher.bus.call(renewBatch, { batchId, appId, takes: taken.takes })).toEqual({ held: true })

  const retries = [retried({ subscriptionId: device.id, userId: device.userId }, { tries: 1, retryInMs: 300 })]
  expect(await dispatcher.bus.call(finishBatch, { ...nothingHeard, batchId, appId, takes: taken.takes, retries })).toEqual({
    answer: 'done',
  })

  const retry = await until(() => pointersAt(campaignId).find((pointer) => pointer.batchId !== batchId))
  expect(await dispatcher.take(retry.batchId)).toMatchObject({ answer: 'taken', tries: 1, recipients: [{ subscriptionId: device.id }] })
})

// spec: running/lost-rows
test('a batch that the ledger does not know is reported again while its dispatcher holds it, not after', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const batchId = (await until(() => pointersAt(campaignId)[0])).batchId
  const taken = await dispatcher.take(batchId)
  if (taken.answer !== 'taken') throw new Error('not taken')
  await until(async () => (await findFanOut(db, campaignId))?.dueAt === null)
  const reports = () => peers.reports.filter((report) => report.campaignId === campaignId)
  const before = reports().length

  const unknown = { campaignId, no: taken.no }
  expect(await dispatcher.bus.call(renewBatch, { batchId, appId, takes: taken.takes + 1, unknown })).toEqual({ held: false })
  expect(reports()).toHaveLength(before)
  expect(await dispatcher.bus.call(renewBatch, { batchId, appId, takes: taken.takes, unknown })).toEqual({ held: true })
  expect(reports()).toHaveLength(before + 1)
  expect(peers.reported(campaignId)).toEqual(new Map([[taken.no, [device.id]]]))
})

// spec: webhooks/announced-until-confirmed
test('an announcement is repeated until webhooks confirms it', async () => {
  const appId = newId()
  await givenEndpoint(db, appId)
  const device = await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const batchId = (await until(() => pointersAt(campaignId)[0])).batchId
  const taken = await dispatcher.take(batchId)
  if (taken.answer !== 'taken') throw new Error('not taken')
  const dead = [{ subscriptionId: device.id, userId: device.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }]
  await dispatcher.bus.call(finishBatch, { ...nothingHeard, batchId, appId, takes: taken.takes, dead })
  const heard = () => peers.events.filter(({ events }) => events.some(({ subscriptionId }) => subscriptionId === device.id))
  await until(() => heard().length === 1)

  await db
    .updateTable('announcements')
    .set({ due_at: sql<Date>`now()` })
    .execute()
  await until(() => heard().length === 2)
  const announcementIds = [...new Set(heard().map(({ announcementId }) => announcementId))]
  expect(announcementIds).toHaveLength(1)
  await bus.call(confirmAudienceAnnouncements, { announcementIds })

  expect(await db.selectFrom('announcements').selectAll().where('id', 'in', announcementIds).execute()).toEqual([])
})

test('a running audience registers devices and finds segments when other services call it', async () => {
  const appId = newId()
  const registered = await bus.call(registerSubscription, { appId, subscription: { platform: 'android', token: 'token' } })
  expect(registered).toMatchObject({ platform: 'android' })

  const segmentId = newId()
  await sql`insert into segments (id, app_id, name, folded_name, definition) values (${segmentId}, ${appId}, 'all', 'all', '{}')`.execute(
    db,
  )
  expect(await bus.call(findSegment, { appId, segmentId })).toEqual({ definition: {} })
  expect(await bus.call(findSegment, { appId: newId(), segmentId })).toBeNull()
})
