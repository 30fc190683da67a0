import type { FrozenSend } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openStarting } from './start-sends.ts'
import { sweepDue } from '../sweep-due.ts'
import { openTakers } from '../delivery/takers.ts'
import { openTelling } from './tell-started.ts'
import { asked, withBatches } from '../testing/batches.ts'
import { givenDevice, givenSend, openAudience } from '../testing/rig.ts'

/** A sweep runs in these tests only when a test asks for it, so that they see what beginning the sends does by itself. */
const rig = await openAudience()
const { db, audience, peers, dispatcher } = rig
const { take } = withBatches({ audience, db, peers })
afterEach(() => {
  peers.state.trackerIsAway = false
  peers.flows.clear()
})

/** Makes the functions that begin sends, and the list of waiting dispatchers, which tests can join. */
function open() {
  const takers = openTakers()
  const tell = openTelling(audience)
  const ended: Promise<unknown>[] = []
  const start = openStarting(audience, (begun) => void ended.push(tell(begun).catch(() => undefined)), takers)
  const waitFor = (room: Partial<Record<Platform, number>> = {}, full: string[] = []) =>
    takers.wait({ room: { ios: 10, android: 10, web: 10, ...room }, full })
  return { takers, start, waitFor, allTold: () => Promise.all(ended) }
}
const toDevice = (send: FrozenSend, id: string) => ({ send, target: { kind: 'subscriptionIds' as const, subscriptionIds: [id] } })
const batchesOf = (campaignId: string) => db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()
const pointersAt = (campaignId: string) => dispatcher.pointers.filter((pointer) => pointer.campaignId === campaignId)

test('a waiting dispatcher gets the batches of small sends when campaigns and tracker know of the sends, and no pointer is published', async () => {
  const { start, waitFor, allTold } = open()
  const [appId, otherApp] = [newId(), newId()]
  const [{ id }, { id: other }] = [await givenDevice(db, { appId }), await givenDevice(db, { appId: otherApp, platform: 'android' })]
  const [send, otherSend] = [givenSend(appId), givenSend(otherApp)]
  const waiting = waitFor()

  await start([toDevice(send, id), toDevice(otherSend, other)])
  const { batches } = await waiting

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
  await allTold()
  expect([...pointersAt(send.campaignId), ...pointersAt(otherSend.campaignId)]).toEqual([])
})

test('a pointer is published at a batch when the waiting dispatcher can take no more of the platform or of the app, or when a circuit is open', async () => {
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
    expect(await waiting).toEqual({ batches: [] })
  }

  await ask(withoutRoom, devices[0], { ios: 0 })
  await ask(full, devices[1], {}, [apps[1]])
  await ask(closed, devices[2])
})

test('the batch of a send that is cancelled while it begins goes to no waiting dispatcher, and any dispatcher may take it', async () => {
  const { start, waitFor, allTold } = open()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  peers.flows.set(send.campaignId, { flow: 'cancelled', no: 1 })
  const waiting = waitFor()

  await start([toDevice(send, id)])
  await allTold()

  expect(await waiting).toEqual({ batches: [] })
  const [batch] = await batchesOf(send.campaignId)
  expect(await take(asked(batch?.id ?? ''))).toMatchObject([{ answer: 'taken', takes: 2, decided: [{ code: 'cancelled' }] }])
})

test('while the tracker is away a waiting dispatcher gets no batch, and the sweep points at the batch as soon as the tracker is back', async () => {
  const { start, waitFor, allTold } = open()
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  peers.state.trackerIsAway = true
  const waiting = waitFor()
  await start([toDevice(send, id)])
  await allTold()
  expect(await waiting).toEqual({ batches: [] })
  peers.state.trackerIsAway = false

  await sweepDue(audience)

  await until(() => pointersAt(send.campaignId).length === 1)
  expect(peers.lastReport(send.campaignId)?.fannedOut).toBe(true)
})

test('when a process dies before a dispatcher got the batch that was leased to it, the sweep points at the batch when the lease ends', async () => {
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
  expect(await waiting).toEqual({ batches: [] })
  expect(await waitFor()).toEqual({ batches: [] })
})
