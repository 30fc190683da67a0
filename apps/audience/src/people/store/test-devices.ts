import type { Place } from '@herald/contracts/page'
import type { Platform } from '@herald/contracts/platform'
import { mostTestDevices, mostTested } from '@herald/contracts/test-send'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

export type Marked = 'marked' | 'too many'

/**
 * Marks a device, locked with `holdDevice`, as a test device; again changes nothing. An advisory lock, held until the transaction ends, lets one
 * transaction of an app mark at a time, so that there are never more than 100.
 */
export async function insertMark(trx: Db, appId: string, subscriptionId: string): Promise<Marked> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audience.test-devices ${appId}`}, 0))`.execute(trx)
  // This is a separate statement so that it sees what was committed while this transaction waited for the lock.
  const marked = await trx.selectFrom('test_devices').select('subscription_id').where('app_id', '=', appId).execute()
  if (marked.some(({ subscription_id }) => subscription_id === subscriptionId)) return 'marked'
  if (marked.length >= mostTestDevices) return 'too many'
  await trx.insertInto('test_devices').values({ subscription_id: subscriptionId, app_id: appId }).execute()
  return 'marked'
}

export const deleteMark = (db: Db, subscriptionId: string) =>
  db.deleteFrom('test_devices').where('subscription_id', '=', subscriptionId).execute()

/** Reads a device and keeps it from being deleted until the transaction ends. Undefined when the app has no such device. */
export const holdDevice = (trx: Db, appId: string, subscriptionId: string) =>
  trx
    .selectFrom('subscriptions')
    .select(['id', 'opted_in as optedIn'])
    .where('id', '=', subscriptionId)
    .where('app_id', '=', appId)
    .forKeyShare()
    .executeTakeFirst()

/**
 * Finds an app's test devices with their owners, in the order of their marks, newest first, beginning after the place `after`. Gives at most
 * `limit` + 1 devices, so that the caller sees whether there is a next page.
 */
export const findMarked = (db: Db, appId: string, { limit, after }: { limit: number; after: Place | undefined }) =>
  db
    .selectFrom('test_devices as t')
    .innerJoin('subscriptions as s', 's.id', 't.subscription_id')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.user_id as userId', 's.platform', 's.address', 's.opted_in as optedIn', 's.invalidated_at as invalidatedAt'])
    .select(['s.app_version as appVersion', 's.os_version as osVersion', 's.device_model as deviceModel', 's.browser'])
    .select(['s.created_at as createdAt', 's.last_active_at as lastActiveAt', 't.marked_at as markedAt', 'u.external_id as externalId'])
    .where('t.app_id', '=', appId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(t.marked_at, t.subscription_id) < (${after?.createdAt}::timestamptz, ${after?.id})`),
    )
    .orderBy('t.marked_at', 'desc')
    .orderBy('t.subscription_id', 'desc')
    .limit(limit + 1)
    .execute()
export type MarkedDevice = Awaited<ReturnType<typeof findMarked>>[number]

/** A device that a test would be sent to. `isMarked`: whether it is a test device. */
export type Found = { id: string; platform: Platform; optedIn: boolean; invalidatedAt: Date | null; isMarked: boolean }

/** Finds devices by their ids, each once, sorted by id. A device of another app is left out. Each device is looked up by its primary key. */
export async function findDevices(db: Db, appId: string, subscriptionIds: string[]): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select s.id, s.platform, s.opted_in as "optedIn", s.invalidated_at as "invalidatedAt",
      exists (select from test_devices t where t.subscription_id = s.id) as "isMarked"
    from unnest(${[...new Set(subscriptionIds)]}::text[]) as asked(id) cross join lateral (
      select id, platform, opted_in, invalidated_at from subscriptions where subscriptions.id = asked.id and app_id || '' = ${appId} offset 0
    ) as s
    order by s.id`.execute(db)
  return rows
}

/**
 * Finds the test devices of these users of an app, in the order of the devices' ids. Gives at most one device more than a test may have, so that the
 * caller sees that there are too many.
 */
export const findMarkedOf = (db: Db, appId: string, users: { userIds: string[] } | { externalIds: string[] }): Promise<Found[]> =>
  db
    .selectFrom('test_devices as t')
    .innerJoin('subscriptions as s', 's.id', 't.subscription_id')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.platform', 's.opted_in as optedIn', 's.invalidated_at as invalidatedAt', sql<boolean>`true`.as('isMarked')])
    .where('t.app_id', '=', appId)
    .where('userIds' in users ? sql<boolean>`u.id = any(${users.userIds})` : sql<boolean>`u.external_id = any(${users.externalIds})`)
    .orderBy('s.id')
    .limit(mostTested + 1)
    .execute()
