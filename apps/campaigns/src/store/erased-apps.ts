import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * Marks an app as erased: no campaign and no template of it is added any more (migrations/0004). What is being added at this moment is
 * waited for, so that whoever looks after this sees it. The mark is committed before the lock is asked for: not in a transaction.
 */
export async function markErased(db: Db, appId: string): Promise<void> {
  await db
    .insertInto('erased_apps')
    .values({ app_id: appId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`select pg_advisory_xact_lock(hashtextextended(${`campaigns.erased-app ${appId}`}, 0))`.execute(db)
}

export const isErased = async (db: Db, appId: string): Promise<boolean> =>
  (await db.selectFrom('erased_apps').select('app_id').where('app_id', '=', appId).executeTakeFirst()) !== undefined

/** What is still on its way for an app when it is deleted comes within days; answers how many apps were forgotten. */
export async function deleteOldErasedApps(db: Db, days: number): Promise<number> {
  const deleted = await sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}
