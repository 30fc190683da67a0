import { newId } from '@herald/contracts/ids'
import { openLog } from '@herald/service/log'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { beforeAll, expect, test } from 'vitest'
import { openCollecting } from './collect-events.ts'
import { freezeBatches } from './freeze-batches.ts'
import { openHousekeeping } from './keep-house.ts'
import { givenEvents, givenWaiting, openRig, type Rig } from './testing/rig.ts'

/** The work of one app fails or waits for a lock. These tests call the sweeps directly: webhooks is not started, so nothing else runs. */

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
const log = openLog('webhooks', 'silent')

/** Makes an app with an endpoint for which 100 events wait. Its event log is due, the earlier the longer ago it became due. */
async function givenApp(dueAgo = '1 second') {
  const [id, appId] = [newId(), newId()]
  await rig.db
    .insertInto('endpoints')
    .values({ id, app_id: appId, url: 'https://example.com', event_types: ['*'], sealed_secret: 'x', secret_hint: 'x' })
    .execute()
  await rig.db.insertInto('queues').values({ endpoint_id: id }).execute()
  await sql`insert into logs (app_id, due_at) values (${appId}, now() - ${dueAgo}::interval)`.execute(rig.db)
  await givenWaiting(rig.db, { appId, id }, 100)
  return { id, appId }
}

/** Lets each write to the rows of one endpoint fail while the work runs. */
async function whileRefused<T>(table: 'deliveries' | 'queues', endpointId: string, work: () => Promise<T>): Promise<T> {
  const name = sql.id(`refuse_${newId()}`)
  await sql`create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`.execute(
    rig.db,
  )
  await sql`
    create trigger ${name} before insert or update on ${sql.table(table)} for each row when (new.endpoint_id = ${sql.lit(endpointId)})
    execute function ${name}()`.execute(rig.db)
  try {
    return await work()
  } finally {
    await sql`drop trigger ${name} on ${sql.table(table)}`.execute(rig.db)
  }
}

/** Holds the rows of the event logs of these apps in another transaction while the work runs. */
const whileHeld = <T>(apps: { appId: string }[], work: () => Promise<T>): Promise<T> =>
  rig.db.transaction().execute(async (other) => {
    const appIds = apps.map(({ appId }) => appId)
    await other.selectFrom('logs').select('app_id').where('app_id', 'in', appIds).forUpdate().execute()
    return work()
  })

const freeze = () => {
  const bus = { call: async () => ({ externalIds: {} }) as never, broadcast: () => undefined }
  return freezeBatches({ db: rig.db, bus, log, bodies: new LRUCache({ max: 10 }), mostBytes: 1e9 })
}
const deliveriesOf = async ({ id }: { id: string }) =>
  (await rig.db.selectFrom('deliveries').select('id').where('endpoint_id', '=', id).execute()).length
const dueInMs = async ({ appId }: { appId: string }) => {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from due_at - now())::float8 * 1000 as ms from logs where app_id = ${appId}`.execute(rig.db)
  return rows[0]?.ms ?? Number.NaN
}

// spec: webhooks/one-failing-app
test('when one app’s deliveries cannot be written, others’ are made, and it is tried again in 5 s', async () => {
  const [bad, good] = [await givenApp('1 minute'), await givenApp()]
  await whileRefused('deliveries', bad.id, freeze)
  expect([await deliveriesOf(bad), await deliveriesOf(good)]).toEqual([0, 1])
  expect(await dueInMs(bad)).toBeGreaterThan(2_000)
  expect(await dueInMs(bad)).toBeLessThanOrEqual(5_000)

  await sql`update logs set due_at = now() where app_id = ${bad.appId}`.execute(rig.db)
  await freeze()
  expect(await deliveriesOf(bad)).toBe(1)
})

// spec: webhooks/one-failing-app
test('event logs that another transaction holds are left out, even 25, and are due as soon as free', async () => {
  const held = await Promise.all(Array.from({ length: 25 }, () => givenApp('1 minute')))
  const good = await givenApp()
  await whileHeld(held, freeze)
  expect(await deliveriesOf(good)).toBe(1)
  for (const one of held) expect(await dueInMs(one)).toBeLessThan(0)
  while ((await freeze()).took > 0);
  for (const one of held) expect(await deliveriesOf(one)).toBe(1)
})

// spec: webhooks/one-failing-app
test('when another transaction holds a queue of one app, the deliveries of other apps are made', async () => {
  const [held, good] = [await givenApp('1 minute'), await givenApp()]
  await rig.db.transaction().execute(async (other) => {
    await other.selectFrom('queues').select('endpoint_id').where('endpoint_id', '=', held.id).forUpdate().execute()
    await freeze()
  })
  expect(await deliveriesOf(good)).toBe(1)
})

// spec: webhooks/one-failing-app
test('after an app’s log was found locked its announcements do not wait for it, and others’ are stored', async () => {
  const [held, good] = [await givenApp(), await givenApp()]
  const announcement = ({ appId }: { appId: string }) => ({
    announcementId: newId(),
    owner: 'tracker' as const,
    events: givenEvents(appId, 1),
  })
  const collect = openCollecting({ db: rig.db }, () => undefined)
  await whileHeld([held], async () => {
    await expect(collect([announcement(held)])).rejects.toMatchObject({ code: '55P03' })
    expect(await collect([announcement(held), announcement(good)])).toEqual([false, true])
  })
})

// spec: webhooks/one-failing-app
test('when the events that wait for the disabled endpoint of one app cannot be dropped, those of other apps are', async () => {
  const apps = [await givenApp(), await givenApp(), await givenApp()]
  const ids = apps.map(({ id }) => id)
  await sql`update endpoints set enabled = false, disabled_at = now() - interval '9 days' where id = any(${ids})`.execute(rig.db)
  const retention = { logDays: 30, deliveredHours: 24, undeliveredDays: 7 }
  const keepHouse = openHousekeeping({ db: rig.db, log, retention }, { isAway: () => false })
  // Whichever of the three apps comes first, the others are served.
  await whileRefused('queues', apps[1]?.id ?? '', keepHouse)
  const queues = await rig.db.selectFrom('queues').select(['endpoint_id as id', 'dropped']).where('endpoint_id', 'in', ids).execute()
  const dropped = new Map(queues.map((queue) => [queue.id, queue.dropped]))
  expect(ids.map((id) => dropped.get(id))).toEqual([100, 0, 100])
})
