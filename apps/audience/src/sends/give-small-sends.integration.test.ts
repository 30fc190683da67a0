import type { FrozenSend } from '@herald/contracts/batch'
import type { CampaignFlow } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { fanOutWork } from '@herald/contracts/topology'
import type { Platform } from '@herald/contracts/platform'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { changeFlow } from './change-flow.ts'
import { fanOut } from './fan-out.ts'
import { openStarting } from './start-sends.ts'
import { findFanOut } from './store/fan-outs.ts'
import { sweepDue } from '../sweep-due.ts'
import { readTaken, rememberSends } from '../delivery/read-taken.ts'
import { openTakers } from '../delivery/takers.ts'
import { openTelling } from './tell-started.ts'
import { asked, withBatches } from '../testing/batches.ts'
import { givenDevice, givenSend, openAudience, opened } from '../testing/rig.ts'

/** A sweep runs in these tests only when a test asks for it, so that they see what beginning the sends does by itself. */
const rig = await openAudience()
const { db, audience, peers, dispatcher } = rig
/** The sends at which audience has published a pointer. */
const pointedAt: string[] = []
audience.bus.consume(fanOutWork, { atOnce: 1 }, async ({ campaignId }) => void pointedAt.push(campaignId))
const { take } = withBatches({ audience, db, peers })
afterEach(() => {
  peers.state.trackerIsAway = false
  peers.flows.clear()
})

/** Makes the functions that begin sends, and the list of waiting dispatchers, which tests can join. */
function open(readGiven?: Parameters<typeof openStarting>[3]) {
  const takers = openTakers()
  const tell = openTelling(audience)
  const ended: Promise<unknown>[] = []
  const start = openStarting(audience, (begun) => void ended.push(tell(begun).catch(() => undefined)), takers, readGiven)
  const waitFor = (room: Partial<Record<Platform, number>> = {}, full: string[] = []) =>
    takers.wait({ room: { ios: 10, android: 10, web: 10, ...room }, full })
  return { takers, start, waitFor, allTold: () => Promise.all(ended) }
}
const toDevice = (send: FrozenSend, id: string) => ({ send, target: { kind: 'subscriptionIds' as const, subscriptionIds: [id] } })
const batchesOf = (campaignId: string) => db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()
const pointersAt = (campaignId: string) => dispatcher.pointers.filter((pointer) => pointer.campaignId === campaignId)

test('a waiting dispatcher gets beginning small sends’ batches, campaigns and tracker are told, and no pointer is published', async () => {
  const { start, waitFor, allTold } = open()
  const [appId, otherApp] = [newId(), newId()]
  const [{ id }, { id: other }] = [await givenDevice(db, { appId }), await givenDevice(db, { appId: otherApp, platform: 'android' })]
  const [send, otherSend] = [givenSend(appId), givenSend(otherApp)]
  const waiting = waitFor()

  await start([toDevice(send, id), toDevice(otherSend, other)])
  const { batches } = await waiting
  await allTold()

  expect(batches.map(({ campaignId, takes }) => ({ campaignId, takes }))).toEqual([
    { campaignId: send.campaignId, takes: 1 },
    { campaignId: otherSend.campaignId, takes: 1 },
  ])
  for (const batch of batches) {
    const [taken] = await take({ ...asked(batch.batchId), takes: batch.takes })
    if (taken?.answer !== 'taken') throw new Error('it is its taker’s')
    expect(taken.send?.campaignId).toBe(batch.campaignId)
    expect(taken.recipients).toHaveLength(1)
    expect(peers.started).toContain(batch.campaignId)
    expect(peers.lastReport(batch.campaignId)?.fannedOut).toBe(true)
    expect(await take(asked(batch.batchId))).toEqual([{ answer: 'busy' }])
  }
  expect([...pointersAt(send.campaignId), ...pointersAt(otherSend.campaignId)]).toEqual([])
})

test('a given batch comes with what a take of it would read, and without it when it cannot be read', async () => {
  const appId = newId()
  const [{ id, userId }, { id: unreadable }] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  const [send, other] = [givenSend(appId), givenSend(appId)]
  const { start, waitFor } = open(async (granted) => {
    if (granted.row.campaignId === other.campaignId) throw new Error('its row is locked')
    return (await readTaken({ db, remembered: rememberSends() }, [granted]))[0] ?? { answer: 'gone' }
  })
  const waiting = waitFor()
  await start([toDevice(send, id), toDevice(other, unreadable)])
  const { batches } = await waiting

  const [one, another] = [send, other].map(({ campaignId }) => batches.find((batch) => batch.campaignId === campaignId))
  if (!one?.content) throw new Error('it has no content')
  const given = opened(one.content)
  const [taken] = await take({ ...asked(one.batchId), takes: one.takes })
  if (given.answer !== 'taken' || taken?.answer !== 'taken') throw new Error('it is its taker’s')
  expect(given).toEqual({ ...taken, elapsedMs: 0 })
  expect(given.recipients).toMatchObject([{ subscriptionId: id, userId }])
  expect(another).toMatchObject({ takes: 1, size: 1 })
  expect(another).not.toHaveProperty('content')
})

test('a batch gets a pointer when the waiting dispatcher can take no more, or when a circuit is open', async () => {
  const { start, waitFor, allTold } = open()
  const apps = [newId(), newId(), newId()] as const
  const devices = await Promise.all(apps.map((appId) => givenDevice(db, { appId })))
  const [withoutRoom, full, closed] = apps.map((appId) => givenSend(appId))
  await sql`insert into circuits (app_id, platform, environment, state) values (${apps[2]}, 'ios', 'production', 'open')`.execute(db)
  const ask = async (send: FrozenSend | undefined, device: { id: string } | undefined, ...given: Parameters<typeof waitFor>) => {
    const waiting = waitFor(...given)
    if (send && device) await start([toDevice(send, device.id)])
    await allTold()
    await until(() => pointersAt(send?.campaignId ?? '').length === 1, { what: 'a pointer' })
    expect((await waiting).batches).toEqual([])
  }

  await ask(withoutRoom, devices[0], { ios: 0 })
  await ask(full, devices[1], {}, [apps[1]])
  await ask(closed, devices[2])
})

test('a send paused or cancelled before it begins goes to no waiting dispatcher; paused, it begins when resumed', async () => {
  const { start, waitFor } = open()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const [cancelled, paused] = [givenSend(appId), givenSend(appId)]
  const change = ({ campaignId }: FrozenSend, flow: CampaignFlow, no: number) =>
    changeFlow({ ...audience, poke: () => undefined }, { campaignId, appId, flow, no })
  for (const [send, flow] of [
    [cancelled, 'cancelled'],
    [paused, 'paused'],
  ] as const) {
    expect(await change(send, flow, 1)).toEqual({ known: false })
    // Campaigns repeats a change whose answer was lost.
    expect(await change(send, flow, 1)).toEqual({ known: false })
    const waiting = waitFor()
    await start([toDevice(send, id)])
    expect((await waiting).batches).toEqual([])
    expect(await fanOut(audience, { campaignId: send.campaignId, page: 0 })).toBe(0)
    expect(await batchesOf(send.campaignId)).toEqual([])
  }

  expect(await change(paused, 'running', 2)).toEqual({ known: false })
  peers.flows.set(paused.campaignId, { flow: 'running', no: 2 })
  peers.givenCampaign(paused, { kind: 'subscriptionIds', subscriptionIds: [id] })
  await fanOut(audience, { campaignId: paused.campaignId, page: 0 })
  expect(await batchesOf(paused.campaignId)).toHaveLength(1)
  // A late repeat of the pause changes nothing, and a later one finds the send begun.
  expect(await change(paused, 'paused', 1)).toEqual({ known: true })
  expect(await findFanOut(db, paused.campaignId)).toMatchObject({ flow: 'running' })
  expect(await change(paused, 'paused', 3)).toEqual({ known: true })
  expect(await findFanOut(db, paused.campaignId)).toMatchObject({ flow: 'paused' })
})

// spec: campaigns/flow-last-word
test('a pause that arrives after the resume that followed it does not keep a send from beginning', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  const campaignId = peers.givenCampaign(send, { kind: 'subscriptionIds', subscriptionIds: [id] })
  const change = (flow: CampaignFlow, no: number) => changeFlow({ ...audience, poke: () => undefined }, { campaignId, appId, flow, no })
  expect(await change('running', 2)).toEqual({ known: false })
  expect(await change('paused', 1)).toEqual({ known: false })
  peers.flows.set(campaignId, { flow: 'running', no: 2 })
  await fanOut(audience, { campaignId, page: 0 })
  expect(await findFanOut(db, campaignId)).toMatchObject({ flow: 'running', state: 'fanned_out' })
  expect(await batchesOf(campaignId)).toHaveLength(1)
})

test('a paused send that has not begun can be cancelled, and campaigns hears that it has not begun', async () => {
  const [appId, campaignId] = [newId(), newId()]
  const change = (flow: CampaignFlow, no: number) => changeFlow({ ...audience, poke: () => undefined }, { campaignId, appId, flow, no })
  expect(await change('paused', 1)).toEqual({ known: false })
  expect(await change('cancelled', 2)).toEqual({ known: false })
  const { rows } = await sql`select flow, page, settled_at is not null as settled from fan_outs where campaign_id = ${campaignId}`.execute(
    db,
  )
  expect(rows).toEqual([{ flow: 'cancelled', page: 0, settled: true }])
})

test('a pause that campaigns tells in its answer to the start reaches a batch that was given already', async () => {
  const { start, waitFor, allTold } = open()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  peers.flows.set(send.campaignId, { flow: 'paused', no: 1 })
  const waiting = waitFor()
  await start([toDevice(send, id)])
  await allTold()
  expect((await waiting).batches).toHaveLength(1)
  expect(await findFanOut(db, send.campaignId)).toMatchObject({ flow: 'paused', flowNo: 1 })
  await until(() => dispatcher.flows.some((flow) => flow.campaignId === send.campaignId && flow.flow === 'paused'))
})

test('while the tracker is away a waiting dispatcher gets the batch, and the sweep reports it later', async () => {
  const { start, waitFor, allTold } = open()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  peers.state.trackerIsAway = true
  const waiting = waitFor()
  await start([toDevice(send, id)])
  await allTold()
  expect((await waiting).batches).toMatchObject([{ campaignId: send.campaignId }])
  expect(peers.lastReport(send.campaignId)).toBeUndefined()
  peers.state.trackerIsAway = false

  await sql`update fan_outs set due_at = now() where campaign_id = ${send.campaignId}`.execute(db)
  await sweepDue(audience)
  await until(() => pointedAt.includes(send.campaignId), { what: 'a pointer at the send' })
  await fanOut(audience, { campaignId: send.campaignId, page: 2 })
  expect(peers.lastReport(send.campaignId)?.fannedOut).toBe(true)
})

test('when a process dies before a dispatcher got its leased batch, the sweep points at it when the lease ends', async () => {
  const takers = openTakers()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  void takers.wait({ room: { ios: 1, android: 1, web: 1 }, full: [] })
  await openStarting(audience, () => undefined, takers)([toDevice(send, id)])
  await sweepDue(audience)
  expect(pointersAt(send.campaignId)).toEqual([])

  await sql`update batches set lease_until = now(), due_at = now() where campaign_id = ${send.campaignId}`.execute(db)
  await sweepDue(audience)

  await until(() => pointersAt(send.campaignId).length === 1)
  expect(peers.lastReport(send.campaignId)?.fannedOut).toBe(true)
})

test('when audience stops, it answers the waiting dispatchers', async () => {
  const { takers, waitFor } = open()
  const waiting = waitFor()
  takers.stop()
  expect((await waiting).batches).toEqual([])
  expect((await waitFor()).batches).toEqual([])
})
