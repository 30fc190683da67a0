import { sql } from 'kysely'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

/**
 * Marks an app as erased: nothing new is written for it (migrations/0003). Totals that are being written at this moment are waited for, so
 * that whoever looks after this sees them. The mark is committed before the lock is asked for: not in a transaction.
 */
export async function markErased(db: Db, appId: string): Promise<void> {
  await db
    .insertInto('erased_apps')
    .values({ app_id: appId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tracker.erased-app ${appId}`}, 0))`.execute(db)
  await sql`delete from listeners where app_id = ${appId}`.execute(db)
}

type Part = { day: string; campaignIds: string[]; limit: number }

/**
 * Deletes at most `limit` rows that campaigns of one day have in the ledger; answers how many. They are locked in the order of the key, as who
 * writes outcomes locks them, and before the counters. By key: a row that was written while its lock was waited for lies at another place by
 * then, which this statement does not see.
 */
export async function deleteLedgerRows(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  const deleted = await sql`
    with locked as materialized (
      select campaign_id, batch_no, place from ledger_batches
      where day = ${day}::date and campaign_id = any(${campaignIds.map(idBytes)}::bytea[])
      order by campaign_id, batch_no, place limit ${limit} for update
    )
    delete from ledger_batches l using locked
    where l.day = ${day}::date and l.campaign_id = locked.campaign_id and l.batch_no = locked.batch_no and l.place = locked.place`.execute(
    db,
  )
  return Number(deleted.numAffectedRows ?? 0)
}

/** Deletes at most `limit` rows of earlier answers that campaigns of one day have; answers how many. */
export async function deleteAttempts(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // As with reports: the day pins one partition, and no row of it is ever moved.
  const deleted = await sql`
    delete from ledger_attempts where day = ${day}::date and ctid = any(array(
      select ctid from ledger_attempts where day = ${day}::date and campaign_id = any(${campaignIds.map(idBytes)}::bytea[]) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}

/** Deletes at most `limit` reports that campaigns of one day have; answers how many. The caller holds their counters rows. */
export async function deleteEngagements(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // The day pins one partition, and no row of it is ever moved: its place is a key.
  const deleted = await sql`
    delete from engagements where day = ${day} and ctid = any(array(
      select ctid from engagements where day = ${day} and campaign_id = any(${campaignIds}) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}

/** What is still on its way for an app when it is deleted comes within days; answers how many apps were forgotten. */
export async function deleteOldErasedApps(db: Db, days: number): Promise<number> {
  const deleted = await sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}
