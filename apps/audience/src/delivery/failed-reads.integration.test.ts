import { takeBatch, takeBatches } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asked, finished, withBatches } from '../testing/batches.ts'
import type { Tables } from '../store/tables.ts'
import { givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const rig = await openAudience()
const { db, dispatcher } = rig
const { givenBatches, expireLease, finish } = withBatches(rig)
await rig.startProcess()
const { db: owner } = await openDatabase<Tables>(testService('audience', rig.config), { url: rig.ownerUrl, poolSize: 1 })
// The statement that reads this user fails with division_by_zero (22012), and so does every other one that meets the user.
await sql`
  alter table audience.users enable row level security;
  alter table audience.users force row level security;
  create policy readable on audience.users using (case when external_id = 'unreadable' then 1 / (length(id) - 24) = 1 else true end) with check (true)`.execute(
  owner,
)

const content = { _default: 'en', en: { title: 'Hi {{ tags.name }}', body: 'B' } }
const givenBatch = async (appId: string): Promise<string> => {
  const [batchId] = await givenBatches(appId, givenSend(appId, { content }))
  if (batchId === undefined) throw new Error('one batch')
  return batchId
}
const rowOf = (id: string) => db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

// spec: sending/unreadable-batch
test('a batch whose read fails five times ends as failed with internal; another of the same call goes out', async () => {
  const [appId, other] = [newId(), newId()]
  const devices = await Promise.all([givenDevice(db, { appId, externalId: 'unreadable' }), givenDevice(db, { appId, externalId: 'ann' })])
  await givenDevice(db, { appId: other })
  const [bad, good] = [await givenBatch(appId), await givenBatch(other)]

  for (let read = 1; read <= 5; read += 1) {
    // A dispatcher that dies does not count.
    await sql`update batches set takes = takes + 7 where id = ${bad}`.execute(db)
    const { answers } = await dispatcher.bus.call(takeBatches, { batches: [asked(bad), asked(good)] })
    expect(answers.map((one) => 'answer' in one && one.answer)).toEqual(['held', read === 1 ? 'taken' : 'busy'])
    expect((await rowOf(bad)).failed_reads).toBe(read)
    if (read < 5) await expireLease(bad)
  }

  const taken = await dispatcher.take(bad)
  if (taken.answer !== 'taken') throw new Error(`not taken but ${taken.answer}`)
  expect(taken.recipients).toEqual([])
  const outcomes = taken.decided.map(({ subscriptionId, outcome, code }) => [subscriptionId, { outcome, code }])
  const failed = { outcome: 'failed', code: 'internal' }
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(devices.map(({ id }) => [id, failed])))
  expect(await finish(finished(bad, taken.takes))).toEqual(['done'])
})

// spec: sending/unreadable-batch
test('a batch that was taken many times without a failed read is still sent', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const batchId = await givenBatch(appId)
  for (let take = 1; take <= 8; take += 1) {
    expect(await dispatcher.bus.call(takeBatch, asked(batchId))).toMatchObject({ answer: 'taken', decided: [] })
    await expireLease(batchId)
  }
  expect((await rowOf(batchId)).failed_reads).toBe(0)
})

// spec: running/locked-row
test('a batch whose row another transaction keeps locked is answered queue_unavailable, and the other batches of its call are taken', async () => {
  const [appId, other] = [newId(), newId()]
  await Promise.all([givenDevice(db, { appId }), givenDevice(db, { appId: other })])
  const [locked, good] = [await givenBatch(appId), await givenBatch(other)]
  await db.transaction().execute(async (trx) => {
    await sql`select from batches where id = ${locked} for update`.execute(trx)
    const { answers } = await dispatcher.bus.call(takeBatches, { batches: [asked(locked), asked(good)] })
    expect(answers).toEqual([{ failed: 'queue_unavailable' }, expect.objectContaining({ answer: 'taken' })])
  })
  expect(await dispatcher.bus.call(takeBatch, asked(locked))).toMatchObject({ answer: 'taken' })
})
