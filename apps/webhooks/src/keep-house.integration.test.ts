import { newId } from '@herald/contracts/ids'
import { openLog } from '@herald/service/log'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { beforeAll, expect, test } from 'vitest'
import { collectEvents } from './collect-events.ts'
import { waitingOf } from './core/reading.ts'
import { eraseUser } from './erase-user.ts'
import { freezeBatches } from './freeze-batches.ts'
import { openHousekeeping } from './keep-house.ts'
import { oldBodies } from './store/bodies.ts'
import { insertLog } from './store/logs.ts'
import { givenDeliveries, givenEvents, givenFailing, givenWaiting, openRig, type Rig } from './testing/rig.ts'

/** These tests call the housekeeping directly. Webhooks is not started, so nothing else runs. */

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
const silent = openLog('webhooks', 'silent')
const retention = { logDays: 30, deliveredHours: 24, undeliveredDays: 7 }
const keepHouse = () => openHousekeeping({ db: rig.db, log: silent, retention }, { isAway: () => false })

async function givenEndpoint(appId = newId()): Promise<{ id: string; appId: string }> {
  const id = newId()
  await rig.db
    .insertInto('endpoints')
    .values({ id, app_id: appId, url: 'https://example.com', event_types: ['*'], sealed_secret: 'x', secret_hint: 'x' })
    .execute()
  await rig.db.insertInto('queues').values({ endpoint_id: id }).execute()
  await insertLog(rig.db, appId)
  return { id, appId }
}
const storedAt = async ({ id, appId }: { id: string; appId: string }) => {
  const queue = await rig.db.selectFrom('queues').selectAll().where('endpoint_id', '=', id).executeTakeFirstOrThrow()
  const log = await rig.db.selectFrom('logs').selectAll().where('app_id', '=', appId).executeTakeFirstOrThrow()
  const { rows } = await sql<{ waiting: number; bodies: number }>`
    select (select coalesce(sum(octet_length(event)), 0)::int from events where app_id = ${appId}) as waiting,
      (select coalesce(sum(octet_length(events)), 0)::int from bodies where app_id = ${appId}) as bodies`.execute(rig.db)
  return { queue, waiting: waitingOf(queue.readings, log), real: rows[0] }
}
const givenBodies = (endpoint: { id: string; appId: string }, count: number, bytes: number, userIds: string[] = []) =>
  givenDeliveries(rig.db, endpoint, count, { events: Buffer.from(`["${'x'.repeat(bytes - 4)}"]`), userIds })
const end = (ids: string[], state: 'delivered' | 'failed', daysAgo = 0) =>
  sql`
    update deliveries set state = ${state}, due_at = null, lease_until = null, ended_at = now() - make_interval(days => ${daysAgo}),
      created_at = now() - make_interval(days => ${daysAgo})
    where id = any(${ids}::text[])`.execute(rig.db)

test('to find the bodies past their retention among 50,000 deliveries the housekeeping reads fewer than 100 rows', async () => {
  const { id, appId } = await givenEndpoint()
  await sql`
    insert into deliveries (id, endpoint_id, state, event_count, due_at, body_id, created_at, ended_at)
    select 'dlv_' || n, ${id}, case when n % 2 = 0 then 'failed' else 'delivered' end, 1, null, -n,
      now() - case when n % 2 = 0 then interval '3 days' else interval '3 hours' end,
      now() - case when n % 2 = 0 then interval '3 days' else interval '3 hours' end
    from generate_series(1, 50000) n`.execute(rig.db)
  const [due] = await givenBodies({ id, appId }, 1, 100)
  await end([due ?? ''], 'failed', 8)
  await sql`analyze deliveries`.execute(rig.db)

  for (const [kind, keptHours] of [
    ['delivered', 24],
    ['other', 168],
  ] as const) {
    const read = await rig.db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
        explain (analyze, format json) ${oldBodies[kind]({ keptHours, limit: 2_000 })}`.execute(trx)
      return rowsRead(rows[0]?.['QUERY PLAN'][0].Plan)
    })
    expect({ kind, few: read < 100 }).toEqual({ kind, few: true })
  }
  await sql`delete from endpoints where id = ${id}`.execute(rig.db)
})

type Plan = { 'Actual Rows': number; 'Actual Loops': number; 'Rows Removed by Filter'?: number; Plans?: Plan[] }
/** Adds up the rows that the nodes of a query plan gave or filtered out. */
const rowsRead = (plan: Plan | undefined): number =>
  plan === undefined
    ? 0
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] +
      (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), 0)

test('the housekeeping deletes 4,500 bodies past their retention in portions, and subtracts their bytes from what the endpoint stores', async () => {
  const endpoint = await givenEndpoint()
  await end(await givenBodies(endpoint, 4_500, 10), 'failed', 8)
  const sweep = keepHouse()
  let looks = 0
  while ((await sweep()).took > 0) looks += 1
  expect(looks).toBe(2)
  expect(await storedAt(endpoint)).toMatchObject({ queue: { body_bytes: 0 }, real: { bodies: 0 } })
})

test('a step of the housekeeping that fails does not stop the other steps', async () => {
  const endpoint = await givenEndpoint()
  await end(await givenBodies(endpoint, 1, 100), 'failed', 31)
  await rig.db
    .insertInto('collected')
    .values({ announcement_id: newId(), at: sql`now() - interval '4 days'` } as never)
    .execute()
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`.execute(rig.db)
  await sql`create trigger refuse before delete on bodies for each row execute function refuse()`.execute(rig.db)
  try {
    expect(await keepHouse()()).toEqual({ took: 0 })
    expect(await rig.db.selectFrom('collected').select('announcement_id').execute()).toEqual([])
    expect((await storedAt(endpoint)).real?.bodies).toBe(100)
  } finally {
    await sql`drop trigger refuse on bodies`.execute(rig.db)
  }
  await keepHouse()()
  expect((await storedAt(endpoint)).real?.bodies).toBe(0)
})

// spec: webhooks/most-stored
test('an endpoint that stores too many bytes first loses the oldest bodies of ended deliveries, and then waiting events', async () => {
  const endpoint = await givenEndpoint()
  const { appId } = endpoint
  await givenFailing(rig.db, endpoint.id)
  const [older, newer] = [await givenBodies(endpoint, 10, 1_000), await givenBodies(endpoint, 10, 1_000)]
  await end(older, 'delivered', 1)
  await end(newer, 'failed')
  const [pending] = await givenBodies(endpoint, 1, 1_000)
  const { log } = testService('webhooks', {})
  const announce = async (count: number, mostBytes: number) => {
    await collectEvents({ db: rig.db }, [{ announcementId: newId(), owner: 'tracker', events: givenEvents(appId, count) }])
    const bus = { call: () => Promise.reject(new Error('nobody is to be asked')), broadcast: () => undefined }
    return (await freezeBatches({ db: rig.db, bus, log, bodies: new LRUCache({ max: 1 }), mostBytes }, [appId])).dropped
  }
  const kept = async () =>
    (
      await rig.db.selectFrom('deliveries').select('id').where('endpoint_id', '=', endpoint.id).where('body_id', 'is not', null).execute()
    ).map((row) => row.id)

  expect(await announce(20, 1_000_000)).toBe(0)
  const { queue, waiting } = await storedAt(endpoint)
  expect([waiting.count, queue.body_bytes]).toEqual([20, 21_000])
  const eventBytes = waiting.bytes / 20

  // The limit leaves space for everything but five of the bodies.
  expect(await announce(1, waiting.bytes + eventBytes + 16_000)).toBe(0)
  const left = new Set(await kept())
  expect(older.filter((id) => left.has(id))).toHaveLength(5)
  expect([...newer, pending].every((id) => left.has(id ?? ''))).toBe(true)

  // The limit leaves space for ten events and the pending delivery, which is never dropped.
  const dropped = await announce(1, 1_000 + 10 * eventBytes)
  expect(dropped).toBeGreaterThanOrEqual(11)
  expect(await kept()).toEqual([pending])
  const after = await storedAt(endpoint)
  expect(after).toMatchObject({
    queue: { dropped, body_bytes: after.real?.bodies },
    waiting: { count: 22 - dropped, bytes: after.real?.waiting },
  })
  expect(after.waiting.bytes + after.queue.body_bytes).toBeLessThanOrEqual(1_000 + 10 * eventBytes)
})

test('erasing a user subtracts the deleted bodies’ bytes, and adds those of deliveries that go out again', async () => {
  const endpoint = await givenEndpoint()
  const { appId } = endpoint
  const userId = newId()
  await givenBodies(endpoint, 2, 1_000)
  const events = Buffer.from(JSON.stringify([{ id: 'evt', userId, externalId: 'ada' }]))
  await givenDeliveries(rig.db, endpoint, 1, { events, userIds: [userId] })
  await eraseUser({ db: rig.db }, { appId, userId })
  const bytes = 2_000 + events.length - ',"externalId":"ada"'.length
  expect(await storedAt(endpoint)).toMatchObject({ queue: { body_bytes: bytes }, real: { bodies: bytes } })
  await eraseUser({ db: rig.db }, { appId, userId })
  expect(await rig.db.selectFrom('deliveries').select('state').where('endpoint_id', '=', endpoint.id).execute()).toHaveLength(4)
})

test('a user whom 1,050 bodies name is erased by calls that delete at most 1,000 of them each', async () => {
  const endpoint = await givenEndpoint()
  const { appId } = endpoint
  const userId = newId()
  const events = Buffer.from(JSON.stringify([{ id: 'evt', userId }]))
  await givenDeliveries(rig.db, endpoint, 1_050, { events, userIds: [userId] })
  const naming = async () =>
    (await sql`select from bodies where app_id = ${appId} and user_ids @> array[${userId}]::text[]`.execute(rig.db)).rows.length
  await expect(eraseUser({ db: rig.db }, { appId, userId })).rejects.toMatchObject({ code: 'queue_unavailable' })
  expect(await naming()).toBe(50)
  await eraseUser({ db: rig.db }, { appId, userId })
  expect(await naming()).toBe(0)
})

test('when an endpoint was off for more than seven days, not six, its waiting events are dropped and counted', async () => {
  const endpoint = await givenEndpoint()
  await givenWaiting(rig.db, endpoint, 40)
  const off = (days: number) =>
    sql`update endpoints set enabled = false, disabled_at = now() - make_interval(days => ${days}) where id = ${endpoint.id}`.execute(
      rig.db,
    )
  await off(6)
  await keepHouse()()
  expect((await storedAt(endpoint)).waiting.count).toBe(40)
  await off(8)
  await keepHouse()()
  expect(await storedAt(endpoint)).toMatchObject({ queue: { dropped: 40 }, waiting: { count: 0 } })
})
