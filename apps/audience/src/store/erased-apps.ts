import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * Marks an app as erased: no user, device, segment or send of it is added any more (migrations/0006). What is being added at this moment
 * is waited for, so that whoever looks after this sees it. The mark is committed before the lock is asked for: not in a transaction.
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

/** What is still on its way for an app when it is deleted comes within days. */
export const purgeErasedApps = (db: Db, days: number) =>
  sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)

export const isErased = async (db: Db, appId: string): Promise<boolean> =>
  (await db.selectFrom('erased_apps').select('app_id').where('app_id', '=', appId).executeTakeFirst()) !== undefined
