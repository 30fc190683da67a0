import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** From its commit on nothing new is written for the app. */
export async function insertErasedApp(db: Db, appId: string): Promise<void> {
  await db
    .insertInto('erased_apps')
    .values({ app_id: appId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes at most `limit` rows that campaigns of one day have in a table; answers how many. The caller holds their counters rows. */
export async function deletePushes(
  db: Db,
  table: 'ledger' | 'engagements',
  { day, campaignIds, limit }: { day: string; campaignIds: string[]; limit: number },
): Promise<number> {
  // The day pins one partition, and no row of it is ever moved: its place is a key.
  const deleted = await sql`
    delete from ${sql.table(table)} where day = ${day} and ctid = any(array(
      select ctid from ${sql.table(table)} where day = ${day} and campaign_id = any(${campaignIds}) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}

/** What is still on its way for an app when it is deleted comes within days; answers how many apps were forgotten. */
export async function deleteOldErasedApps(db: Db, days: number): Promise<number> {
  const deleted = await sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}
