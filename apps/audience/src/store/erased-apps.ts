import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * Marks an app as erased: no user, device, segment or send of it is added any more (migrations/0006). It waits for transactions that are adding
 * such rows at this moment, so that a later statement sees their rows. Not to be called in a transaction: the mark must be committed before the
 * lock is asked for.
 */
export async function markErased(db: Db, appId: string): Promise<void> {
  await db
    .insertInto('erased_apps')
    .values({ app_id: appId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audience.erased-app ${appId}`}, 0))`.execute(db)
  await sql`delete from listeners where app_id = ${appId}`.execute(db)
  await sql`delete from notified_apps where app_id = ${appId}`.execute(db)
}

/** Deletes old marks. Calls and messages that were on their way when an app was deleted arrive within days. */
export const purgeErasedApps = (db: Db, days: number) =>
  sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)

export const isErased = async (db: Db, appId: string): Promise<boolean> =>
  (await db.selectFrom('erased_apps').select('app_id').where('app_id', '=', appId).executeTakeFirst()) !== undefined
