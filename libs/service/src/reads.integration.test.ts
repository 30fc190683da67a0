import { call } from '@herald/contracts/call'
import { Fault } from '@herald/contracts/fault'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openBus } from './bus.ts'
import { openDatabase, readConnections } from './postgres.ts'

const database = await freshDatabase()
const natsUrl = await freshNats()
const open = () => openDatabase(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 })
const said = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  )

// spec: limits/reads-apart
test('when every connection for reads is taken, further reads are refused (429) and other work goes on', async () => {
  const { db, reads, watch } = await open()
  // Longer than a read waits for a connection (1 s), so that none gets the connection of another.
  const slow = () => reads((own) => sql`select pg_sleep(1.6)`.execute(own))
  const many = Promise.all(Array.from({ length: 24 }, () => said(slow())))
  const work = await Promise.all(Array.from({ length: 20 }, () => said(watch.guard(() => sql`select 1`.execute(db)))))
  expect(new Set(work)).toEqual(new Set(['done']))
  const told = await many
  expect(new Set(told)).toEqual(new Set(['done', 'rate_limited']))
  expect(told.filter((one) => one === 'done').length).toBeLessThanOrEqual(readConnections)
  expect(await said(reads((own) => sql`select 1`.execute(own)))).toBe('done')
})

// spec: limits/reads-apart
test('a read that takes too long is refused (429) with the seconds to wait, and its statement ends', async () => {
  const { reads } = await open()
  const long = reads((own) => sql`select pg_sleep(60)`.execute(own))
  await expect(long).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 2,
    message: 'Too many reads at once. Try again in 2 seconds.',
  })
  const left = async () => {
    const { rows } = await reads((own) =>
      sql`select from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid() and state = 'active'`.execute(own),
    )
    return rows.length
  }
  await until(async () => (await left()) === 0, { what: 'the end of the statement' })
})

test('a service whose call is refused because a read took too long gets the seconds to wait', async () => {
  const { reads, watch } = await open()
  const contract = call<Record<string, never>>()('rpc.tracker.slow', z.object({}), 10_000)
  const tracker = await openBus(testService('tracker', { NATS_URL: natsUrl }), watch)
  tracker.answer(contract, async () => {
    await reads((own) => sql`select pg_sleep(60)`.execute(own))
    return {}
  })
  const gateway = await openBus(testService('gateway', { NATS_URL: natsUrl }))
  await expect(gateway.call(contract, {})).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2 })
})

// spec: limits/database-busy
test('a full pool and a statement that takes too long do not count as a database that is away', async () => {
  const { db, watch } = await openDatabase(testService('tracker', {}), { url: database.url('tracker'), poolSize: 1, queryMs: 3_500 })
  const contract = call<Record<string, never>>()('rpc.tracker.busy', z.object({ seconds: z.number() }), 10_000)
  const tracker = await openBus(testService('tracker', { NATS_URL: natsUrl }), watch)
  tracker.answer(contract, async ({ seconds }) => {
    await sql`select pg_sleep(${seconds})`.execute(db)
    return {}
  })
  const gateway = await openBus(testService('gateway', { NATS_URL: natsUrl }))
  const tooLong = said(gateway.call(contract, { seconds: 60 }))
  const noneFree = said(gateway.call(contract, { seconds: 0 }))
  expect(await noneFree).toBe('queue_unavailable')
  expect(await tooLong).toBe('queue_unavailable')
  expect(watch.up).toBe(true)
})
