import { newId } from '@herald/contracts/ids'
import { settingsForWork, transact } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { freshDatabase } from '@herald/testing/database'
import { fixStatistics, lookWhileGrowing, openPlans, type Step } from '@herald/testing/plans'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectEvents } from './collect-events.ts'
import { eraseUser } from './erase-user.ts'
import { freezeBatches } from './freeze-batches.ts'
import { recordAttempts } from './record-attempts.ts'
import { findNextDue, renewLeases, takeDueDeliveries, type TakenDelivery } from './store/deliveries.ts'
import { findDueListeners, markListenersTold, noteListeners, noteWatch, renewListeners } from './store/listened-apps.ts'
import { insertLog } from './store/logs.ts'
import type { Tables } from './store/tables.ts'
import { givenEvents } from './testing/rig.ts'

const database = await freshDatabase()
const plans = await openPlans<Tables>(database.ownerUrl, 'webhooks', settingsForWork)
afterAll(() => plans.close())
const { db } = plans

/** Two endpoints of one app. Each gets half of the deliveries that `grow` adds. */
const [appId, endpointId, fullId] = [newId(), newId(), newId()]
const { log } = testService('webhooks', {})
/** Stands in for an audience that knows no external ids. */
const bus = { call: async () => ({ externalIds: {} }) as never, broadcast: () => undefined }
const bodies = new LRUCache<number, Buffer>({ max: 10 })
let taken: TakenDelivery[] = []

const steps: Record<string, Step> = {
  'events are collected, some of them again': {
    run: async () => {
      const announcement = { announcementId: newId(), owner: 'tracker' as const, events: givenEvents(appId, 10) }
      const other = { ...announcement, announcementId: newId(), events: givenEvents(newId(), 3) }
      await collectEvents({ db }, [announcement, other])
      expect(await collectEvents({ db }, [announcement])).toMatchObject({ put: 0 })
    },
  },
  'batches are frozen, what is too much is dropped, and what all have read is deleted': {
    run: async () => {
      await sql`update events set buffered_at = now() - interval '1 hour' where app_id = ${appId} and type = 'notification.sent'
        and place > (select head - 20 from logs where app_id = ${appId})`.execute(db)
      expect((await freezeBatches({ db, bus, log, bodies, mostBytes: 1e9 }, [appId])).took).toBeGreaterThan(0)
    },
    // The step reads four batches of a hundred events and deletes as many events.
    rows: 1_000,
    whileSmall: 1_500,
  },
  'a user is erased': { run: () => eraseUser({ db }, { appId, userId: newId() }) },
  'deliveries are taken': {
    run: async () => {
      taken = await transact(db, (trx) => takeDueDeliveries(trx, { deliveries: 10, suspects: 5 }))
      expect(taken).not.toHaveLength(0)
      await findNextDue(db)
    },
    whileSmall: 100,
  },
  'leases are renewed': { run: () => renewLeases(db, taken) },
  'attempts are over': {
    run: () =>
      recordAttempts(
        { db, retryBaseMs: 3_600_000 },
        taken.map(({ id, endpointId, takes, tries, wasLost }, index) => {
          const answer = { status: index === 0 ? 500 : 200, error: null, latencyMs: 5, retryAfterMs: null }
          return { id, endpointId, takes, tries, wasLost, at: new Date(), answer }
        }),
      ),
  },
  'listeners are told': {
    run: async () => {
      await noteListeners(db, appId)
      expect(await findDueListeners(db, 10)).toContain(appId)
      await noteWatch(db, appId)
      await markListenersTold(db, await transact(db, (trx) => renewListeners(trx, [appId])))
    },
  },
}

/**
 * Adds rows to every table: `count` events of the app, `count` deliveries to its two endpoints, and up to `count` rows of others. The deliveries have
 * ended, or are attempted again in an hour.
 */
async function grow(count: number): Promise<void> {
  const id = sql`'5' || lpad(to_hex(floor(random() * 1e9)::int), 7, '0') || lpad(to_hex(n), 16, '0')`
  const rows = sql`(select ${id} as id, n, case when n % 2 = 0 then ${endpointId} else ${fullId} end as endpoint_id from generate_series(1, ${count}) as n) as made`
  await sql`set session_replication_role = replica`.execute(db)
  await sql`insert into endpoints (id, app_id, url, event_types, sealed_secret, secret_hint) select id, id, 'https://example.test', '{*}', '', '' from ${rows} where n % 10 = 0`.execute(
    db,
  )
  await sql`insert into queues (endpoint_id) select id from ${rows} where n % 10 = 0`.execute(db)
  await sql`insert into collected (announcement_id) select id from ${rows}`.execute(db)
  await sql`insert into logs (app_id, due_at) select id, case when n % 2 = 0 then now() + interval '1 hour' end from ${rows} where n % 10 = 0`.execute(
    db,
  )
  await sql`insert into events (app_id, type, place, event)
    select ${appId}, 'notification.sent', head + n, '{}' from ${rows}, logs where app_id = ${appId}`.execute(db)
  await sql`update logs set head = head + ${count}, totals = jsonb_set(totals, '{notification.sent}',
    jsonb_build_array((totals->'notification.sent'->>0)::int + ${count}, (totals->'notification.sent'->>1)::int + 2 * ${count}, totals->'notification.sent'->2))
    where app_id = ${appId}`.execute(db)
  await sql`insert into deliveries (id, endpoint_id, state, event_count, due_at, body_id, ended_at)
    select id, endpoint_id, case when n <= 90 then 'pending' else 'delivered' end, 1, case when n <= 90 then now() + interval '1 hour' end, n,
      case when n > 90 then now() end from ${rows}`.execute(db)
  await sql`insert into bodies (app_id, types, after_count, until_count, event_count, user_ids, events) select id, '*', n, n, 1, array[id], '' from ${rows} where n % 5 = 0`.execute(
    db,
  )
  await sql`insert into erased_users (app_id, user_id) select ${appId}, id from ${rows}`.execute(db)
  await sql`insert into listened_apps (app_id, due_at) select id, now() + interval '1 hour' from ${rows}`.execute(db)
  await sql`insert into watched_apps (app_id, until) select id, now() + interval '1 hour' from ${rows}`.execute(db)
  await sql`set session_replication_role = origin`.execute(db)
}

beforeAll(async () => {
  await fixStatistics(db, 'webhooks')
  for (const id of [endpointId, fullId]) {
    await sql`insert into endpoints (id, app_id, url, event_types, sealed_secret, secret_hint) values (${id}, ${appId}, 'https://example.test', '{*}', '', '')`.execute(
      db,
    )
    await sql`insert into queues (endpoint_id) values (${id})`.execute(db)
    await insertLog(db, appId)
  }
})

test('from event to delivery statements read few of 100,000 rows, before and after Postgres analyses the tables', async () => {
  expect(await lookWhileGrowing(plans, steps, grow)).toEqual({ empty: [], few: [], many: [], analysed: [] })
})
