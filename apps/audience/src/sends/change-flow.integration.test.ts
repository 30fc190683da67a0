import { changeFlow } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changeFlow as change } from './change-flow.ts'
import { fanOut } from './fan-out.ts'
import { findFanOut } from './store/fan-outs.ts'
import { sweepDue } from '../sweep-due.ts'
import { fanOutAll, givenCrowd, givenDevice, givenFanOut, givenSend, openAudience } from '../testing/rig.ts'

const { startProcess, audience, db, peers, dispatcher } = await openAudience()

let poked = 0
const tell = (campaignId: string, flow: 'running' | 'paused' | 'cancelled', no: number, appId = newId()) =>
  change({ ...audience, poke: () => (poked += 1) }, { campaignId, appId, flow, no })
const queuedIn = async (campaignId: string) => {
  const batches = await db.selectFrom('batches').select('subscription_ids').where('campaign_id', '=', campaignId).execute()
  return batches.flatMap((batch) => batch.subscription_ids).toSorted()
}
const finishBatches = (campaignId: string) =>
  sql`update batches set done_at = now(), due_at = null where campaign_id = ${campaignId} and done_at is null`.execute(db)

// spec: campaigns/resume
test('a send that is paused and resumed again and again reaches every device once', async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 17_000 })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  let no = 0

  await fanOut(audience, { campaignId, page: 0 })
  while ((await findFanOut(db, campaignId))?.state !== 'fanned_out') {
    await finishBatches(campaignId)
    const { page = 0 } = (await findFanOut(db, campaignId)) ?? {}
    await Promise.all([fanOut(audience, { campaignId, page }), tell(campaignId, 'paused', ++no)])
    const paused = await findFanOut(db, campaignId)
    await fanOut(audience, { campaignId, page: paused?.page ?? 0 })
    expect(await findFanOut(db, campaignId)).toMatchObject({ page: paused?.page, flow: 'paused' })
    await tell(campaignId, 'running', ++no)
    expect((await findFanOut(db, campaignId))?.page).toBe(paused?.page)
    if (no > 10) await fanOutAll(audience, campaignId)
  }

  expect(await queuedIn(campaignId)).toEqual(crowd)
})

test('a page that a process is making when the send is paused is made after the resume, and not before', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const remainder = { of: newId(), sampleRate: 0.000_000_000_001 }
  const campaignId = await givenFanOut(db, givenSend(appId, { remainder }))
  const gate = Promise.withResolvers<void>()
  peers.state.settledAnswersAfter = gate.promise
  peers.state.askedSettled = 0

  const cutting = fanOut(audience, { campaignId, page: 1 })
  await until(() => peers.state.askedSettled === 1)
  await tell(campaignId, 'paused', 1)
  gate.resolve()
  await cutting
  expect(await queuedIn(campaignId)).toEqual([])

  await tell(campaignId, 'running', 2)
  await sweepDue(audience)
  await fanOut(audience, { campaignId, page: 1 })
  expect(await queuedIn(campaignId)).toEqual([device.id])
})

// spec: campaigns/cancel-under-way
test('a cancelled send queues nothing more, and the tracker is told that its present totals are the last', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 11_000 })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: false, byPlatform: { ios: 5_000 } })

  expect(await tell(campaignId, 'cancelled', 1)).toEqual({ known: true })
  await fanOutAll(audience, campaignId)

  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', flow: 'cancelled', target: null, dueAt: null })
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 5_000 } })
  expect(await queuedIn(campaignId)).toHaveLength(5_000)
  await until(() => dispatcher.flows.some((flow) => flow.campaignId === campaignId && flow.flow === 'cancelled'))
})

test('after a send is cancelled none of its further waves begins', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const later = new Date(Date.now() + 7_200_000).toISOString().slice(11, 16)
  const campaignId = peers.givenCampaign(givenSend(appId, { userTimezone: { localTime: later, after: new Date().toISOString() } }), {
    kind: 'all',
  })
  await fanOut(audience, { campaignId, page: 0 })
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'between_waves' })

  await tell(campaignId, 'cancelled', 1)
  await fanOutAll(audience, campaignId)

  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 0 } })
})

// spec: campaigns/resume
test('a wave whose instant comes while its send is paused begins with the resume', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const later = new Date(Date.now() + 7_200_000).toISOString().slice(11, 16)
  const campaignId = peers.givenCampaign(givenSend(appId, { userTimezone: { localTime: later, after: new Date().toISOString() } }), {
    kind: 'all',
  })
  await fanOut(audience, { campaignId, page: 0 })
  await tell(campaignId, 'paused', 1)
  await tell(campaignId, 'running', 2)
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'between_waves' })
  await tell(campaignId, 'paused', 3)
  await sql`update fan_outs set due_at = now() where campaign_id = ${campaignId}`.execute(db)
  await sweepDue(audience)
  await fanOut(audience, { campaignId, page: 1 })
  expect(await queuedIn(campaignId)).toEqual([])

  await tell(campaignId, 'running', 4)
  await fanOut(audience, { campaignId, page: 1 })

  expect(await queuedIn(campaignId)).toEqual([device.id])
})

// spec: campaigns/flow-last-word
test('of pauses, resumes and cancels the highest number counts, in any order; a repeat changes nothing', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = await givenFanOut(db, givenSend(appId))
  await tell(campaignId, 'running', 2)
  expect(await tell(campaignId, 'paused', 1)).toEqual({ known: true })
  expect(await tell(campaignId, 'running', 2)).toEqual({ known: true })
  expect(await findFanOut(db, campaignId)).toMatchObject({ flow: 'running', flowNo: 2 })
  expect(dispatcher.flows.filter((flow) => flow.campaignId === campaignId && flow.flow === 'paused')).toEqual([])
})

test('a pause or cancel of which audience has not heard is applied when campaigns answers the start with it', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  for (const flow of ['paused', 'cancelled'] as const) {
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    peers.flows.set(campaignId, { flow, no: 1 })

    await fanOut(audience, { campaignId, page: 0 })

    expect(await findFanOut(db, campaignId)).toMatchObject({ flow, flowNo: 1 })
  }
})

test('when a send is resumed or cancelled its batches are due at once; a resumed send’s retries still wait', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const batch = () =>
    db
      .selectFrom('batches')
      .select(['due_at', 'not_before', sql<boolean>`due_at <= now()`.as('isDue')])
      .where('campaign_id', '=', campaignId)
      .executeTakeFirst()
  await sql`update batches set due_at = now() + interval '15 seconds' where campaign_id = ${campaignId}`.execute(db)
  await tell(campaignId, 'paused', 1)
  expect((await batch())?.isDue).toBe(false)
  await tell(campaignId, 'running', 2)
  expect(await batch()).toMatchObject({ isDue: true, not_before: null })

  await sql`update batches set not_before = now() + interval '1 hour', due_at = now() + interval '1 hour' where campaign_id = ${campaignId}`.execute(
    db,
  )
  await tell(campaignId, 'paused', 3)
  await tell(campaignId, 'running', 4)
  expect((await batch())?.isDue).toBe(false)
  await tell(campaignId, 'cancelled', 5)
  expect((await batch())?.isDue).toBe(true)
})

test('while a large send is paused its batches do not keep another large send of the app waiting', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 12_000 })
  const [paused, other] = [1, 2].map(() => peers.givenCampaign(givenSend(appId), { kind: 'all' })) as [string, string]
  await fanOut(audience, { campaignId: paused, page: 0 })
  await fanOut(audience, { campaignId: other, page: 0 })
  await fanOut(audience, { campaignId: other, page: 1 })
  expect(await queuedIn(other)).toEqual([])
  expect(await findFanOut(db, other)).toMatchObject({ state: 'waiting' })

  await tell(paused, 'paused', 1)
  expect(await findFanOut(db, other)).toMatchObject({ state: 'running' })
  await fanOut(audience, { campaignId: other, page: 1 })

  expect(await queuedIn(other)).toHaveLength(5_000)
})

test('an audience called to cancel a paused send makes no further page, and tells the tracker the last totals', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 6_000 })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  await tell(campaignId, 'paused', 1)
  await startProcess()

  expect(await dispatcher.bus.call(changeFlow, { campaignId, appId, flow: 'cancelled', no: 2 })).toEqual({ known: true })

  await until(() => peers.lastReport(campaignId)?.fannedOut)
  expect(peers.lastReport(campaignId)).toMatchObject({ byPlatform: { ios: 5_000 } })
  expect(await findFanOut(db, campaignId)).toMatchObject({ flow: 'cancelled' })
})
