import type { Place } from '@herald/contracts/page'
import type { Platform } from '@herald/contracts/platform'
import { mostTestDevices, mostTested } from '@herald/contracts/test-send'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

export type Marked = 'marked' | 'too many'

/**
 * Marks a device that its caller holds; a second mark changes nothing. The marks of an app are made one after another, so that there are never more than 100 of
 * them. The lock ends with the transaction.
 */
export async function insertMark(trx: Db, appId: string, subscriptionId: string): Promise<Marked> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audience.test-devices ${appId}`}, 0))`.execute(trx)
  // A statement of its own, which sees what was committed before the lock was given.
  const marked = await trx.selectFrom('test_devices').select('subscription_id').where('app_id', '=', appId).execute()
  if (marked.some(({ subscription_id }) => subscription_id === subscriptionId)) return 'marked'
  if (marked.length >= mostTestDevices) return 'too many'
  await trx.insertInto('test_devices').values({ subscription_id: subscriptionId, app_id: appId }).execute()
  return 'marked'
}

export const deleteMark = (db: Db, subscriptionId: string) =>
  db.deleteFrom('test_devices').where('subscription_id', '=', subscriptionId).execute()

/** A device of an app, kept from being deleted until the transaction ends; undefined: unknown, or another app's. */
export const holdDevice = (trx: Db, appId: string, subscriptionId: string) =>
  trx
    .selectFrom('subscriptions')
    .select(['id', 'opted_in as optedIn'])
    .where('id', '=', subscriptionId)
    .where('app_id', '=', appId)
    .forKeyShare()
    .executeTakeFirst()

/** One row more than `limit` of an app's test devices with their owners, the one marked last first, after a place of an earlier page. */
export const findMarked = (db: Db, appId: string, { limit, after }: { limit: number; after: Place | undefined }) =>
  db
    .selectFrom('test_devices as t')
    .innerJoin('subscriptions as s', 's.id', 't.subscription_id')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .selectAll('s')
    .select(['t.marked_at', 'u.external_id'])
    .where('t.app_id', '=', appId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(t.marked_at, t.subscription_id) < (${after?.createdAt}::timestamptz, ${after?.id})`),
    )
    .orderBy('t.marked_at', 'desc')
    .orderBy('t.subscription_id', 'desc')
    .limit(limit + 1)
    .execute()
export type MarkedRow = Awaited<ReturnType<typeof findMarked>>[number]

/** A device as a test finds it. */
export type Found = { id: string; platform: Platform; opted_in: boolean; invalidated_at: Date | null; is_marked: boolean }

/** Those of these devices that the app has, in the order of their ids; each by its key. */
export async function findDevices(db: Db, appId: string, subscriptionIds: string[]): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select s.*, exists (select from test_devices t where t.subscription_id = s.id) as is_marked
    from unnest(${[...new Set(subscriptionIds)]}::text[]) as asked(id) cross join lateral (
      select id, platform, opted_in, invalidated_at from subscriptions where subscriptions.id = asked.id and app_id || '' = ${appId} offset 0
    ) as s
    order by s.id`.execute(db)
  return rows
}

/** The app's test devices that belong to these users, in the order of their ids, at most one more than a test may have. It looks at the app's test devices alone. */
export const findMarkedOf = (db: Db, appId: string, users: { userIds: string[] } | { externalIds: string[] }): Promise<Found[]> =>
  db
    .selectFrom('test_devices as t')
    .innerJoin('subscriptions as s', 's.id', 't.subscription_id')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.platform', 's.opted_in', 's.invalidated_at', sql<boolean>`true`.as('is_marked')])
    .where('t.app_id', '=', appId)
    .where('userIds' in users ? sql<boolean>`u.id = any(${users.userIds})` : sql<boolean>`u.external_id = any(${users.externalIds})`)
    .orderBy('s.id')
    .limit(mostTested + 1)
    .execute()
