import { leaseMs } from '@herald/contracts/batch'
import { renewBatch } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { spareTakers } from './spare-takers.ts'
import { givenDevice, givenSend, openAudience } from './testing/rig.ts'

const { startProcess, cutOffDatabase, audience, config, db, peers, dispatcher } = await openAudience()

async function givenBatch() {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await peers.point(campaignId)
  return (await until(() => dispatcher.pointers.find((pointer) => pointer.campaignId === campaignId))).batchId
}

/** A batch that a dispatcher has taken; how long its lease goes on is the test's. */
async function givenTaken() {
  const batchId = await givenBatch()
  const taken = await dispatcher.take(batchId)
  if (taken.answer !== 'taken') throw new Error('not taken')
  return { batchId, takes: taken.takes }
}
const endLease = (batchId: string) => sql`update batches set lease_until = now() where id = ${batchId}`.execute(db)
const rowOf = (batchId: string) => db.selectFrom('batches').selectAll().where('id', '=', batchId).executeTakeFirstOrThrow()

test('a lease that ended while the database was away is its taker’s again, and anyone’s when it ends anew', async () => {
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

test('with a return of NATS, and with a start, every lease begins anew; what nobody has is left as it is', async () => {
  const { watch } = await openDatabase(testService('audience', {}), { url: config.DATABASE_URL_AUDIENCE, poolSize: 2 })
  let back = () => undefined as void
  const bus = { ...audience.bus, onReconnect: (handler: () => void) => void (back = handler) }
  const [lapsed, held, free] = [await givenTaken(), await givenTaken(), await givenBatch()]

  await endLease(lapsed.batchId)
  const spared = spareTakers({ ...audience, bus }, watch)
  await spared()
  const first = await rowOf(lapsed.batchId)
  const { rows } = await sql<{ inMs: number }>`
    select (extract(epoch from lease_until - now()) * 1000)::float8 as "inMs" from batches where id = ${lapsed.batchId}`.execute(db)
  expect(rows[0]?.inMs).toBeGreaterThan(leaseMs - 3_000)
  expect(first.due_at).toEqual(first.lease_until)

  const before = { held: await rowOf(held.batchId), free: await rowOf(free) }
  await endLease(lapsed.batchId)
  back()
  await spared()
  expect((await rowOf(lapsed.batchId)).lease_until?.getTime()).toBeGreaterThan(first.lease_until?.getTime() ?? 0)
  expect((await rowOf(held.batchId)).lease_until?.getTime()).toBeGreaterThan(before.held.lease_until?.getTime() ?? 0)
  expect(await rowOf(free)).toEqual(before.free)
})
