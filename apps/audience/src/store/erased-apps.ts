import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * Marks an app as erased. From then on triggers (migrations/0006 and later) let no row of the app be added to tables such as users, devices and sends.
 * Then waits for the transactions that were already adding rows to them, so that later statements see those rows. Then deletes the app's rows of
 * `listeners` and `notified_apps`. Must not be called in a transaction: the mark must be committed before the lock is taken.
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

/** Deletes marks of apps that were erased more than `days` ago: by then no call or message about the app arrives any more. */
export const purgeErasedApps = (db: Db, days: number) =>
  sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)

export const isErased = async (db: Db, appId: string): Promise<boolean> =>
  (await db.selectFrom('erased_apps').select('app_id').where('app_id', '=', appId).executeTakeFirst()) !== undefined
