import { renewBatch } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { spareTakers } from './spare-takers.ts'
import { givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { startProcess, cutOffDatabase, audience, config, db, peers, dispatcher } = await openAudience()

async function givenBatch() {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await peers.point(campaignId)
  return (await until(() => dispatcher.pointers.find((pointer) => pointer.campaignId === campaignId))).batchId
}

async function givenTaken() {
  const batchId = await givenBatch()
  const taken = await dispatcher.take(batchId)
  if (taken.answer !== 'taken') throw new Error('not taken')
  return { batchId, appId: taken.appId, takes: taken.takes }
}
const endLease = (batchId: string) => sql`update batches set lease_until = now() where id = ${batchId}`.execute(db)
const rowOf = (batchId: string) => db.selectFrom('batches').selectAll().where('id', '=', batchId).executeTakeFirstOrThrow()

test('a dispatcher keeps a batch whose lease ended while the database was away, and loses it with the new lease', async () => {
  const process = await startProcess()
  const [renewed, left] = [await givenTaken(), await givenTaken()]
  await endLease(renewed.batchId)
  await endLease(left.batchId)

  const letIn = await cutOffDatabase()
  await until(() => process.waitingFor().includes('database'))
  await letIn()

  expect(await until(() => dispatcher.take(left.batchId))).toEqual({ answer: 'busy' })
  expect(await dispatcher.bus.call(renewBatch, renewed)).toEqual({ held: true })
  await endLease(left.batchId)
  expect(await dispatcher.take(left.batchId)).toMatchObject({ answer: 'taken', takes: left.takes + 1 })
  expect(await dispatcher.take(renewed.batchId)).toEqual({ answer: 'busy' })
})

/** Starts the part of audience that extends leases. For this part NATS is back when the test calls `back`. */
async function startSparing() {
  const { watch } = await openDatabase(testService('audience', {}), { url: config.DATABASE_URL_AUDIENCE, poolSize: 2 })
  let back = () => undefined as void
  const bus = { ...audience.bus, onReconnect: (handler: () => void) => void (back = handler) }
  const spared = spareTakers({ ...audience, bus }, watch)
  await spared()
  return { spared, back: () => back() }
}
const setLeases = (seconds: number) =>
  sql`update batches set lease_until = now() + make_interval(secs => ${seconds}) where done_at is null and lease_until is not null`.execute(
    db,
  )
/** Reads how often the lease of a batch was extended since its taker renewed it. */
const sparedOf = async (batchId: string) => (await rowOf(batchId)).spared

test('when NATS is back every taken batch gets a new lease, and batches without a taker stay as they are', async () => {
  const { spared, back } = await startSparing()
  const [lapsed, held, free] = [await givenTaken(), await givenTaken(), await givenBatch()]
  const before = await rowOf(free)
  await setLeases(5)
  await endLease(lapsed.batchId)

  back()
  await spared()

  expect([await sparedOf(lapsed.batchId), await sparedOf(held.batchId)]).toEqual([1, 1])
  const { due_at, lease_until } = await rowOf(lapsed.batchId)
  expect(due_at).toEqual(lease_until)
  expect(await rowOf(free)).toEqual(before)
})

test('when NATS is back and a lease was renewed a moment ago, no lease is extended', async () => {
  const { spared, back } = await startSparing()
  const [lapsed, renewed] = [await givenTaken(), await givenTaken()]
  await setLeases(5)
  await endLease(lapsed.batchId)
  await sql`update batches set lease_until = now() + interval '1 hour' where id = ${renewed.batchId}`.execute(db)

  back()
  await spared()

  expect(await sparedOf(lapsed.batchId)).toBe(0)
})

test('when audience starts every taken batch gets a new lease, unless one lease was renewed a moment ago', async () => {
  const [lapsed, renewed] = [await givenTaken(), await givenTaken()]
  await setLeases(5)
  await endLease(lapsed.batchId)
  await startSparing()
  expect(await sparedOf(lapsed.batchId)).toBe(1)

  await endLease(lapsed.batchId)
  // A lease of an hour counts as renewed a moment ago, even when the process takes long to start.
  await sql`update batches set lease_until = now() + interval '1 hour' where id = ${renewed.batchId}`.execute(db)
  await startSparing()
  expect(await sparedOf(lapsed.batchId)).toBe(1)
})

test('when audience loses NATS repeatedly, it extends a lease three times at most; a renewal allows three more', async () => {
  const { spared, back } = await startSparing()
  const [dead, living] = [await givenTaken(), await givenTaken()]
  const flap = async () => {
    await setLeases(0)
    back()
    await spared()
  }
  for (let time = 0; time < 3; time += 1) await flap()
  expect([await sparedOf(dead.batchId), await sparedOf(living.batchId)]).toEqual([3, 3])
  expect(await dispatcher.bus.call(renewBatch, living)).toEqual({ held: true })

  await flap()

  expect([await sparedOf(dead.batchId), await sparedOf(living.batchId)]).toEqual([3, 1])
})
