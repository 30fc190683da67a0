import { sql } from 'kysely'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

export const deleteListeners = (db: Db, appId: string): Promise<unknown> => sql`delete from listeners where app_id = ${appId}`.execute(db)

type Part = { day: string; campaignIds: string[]; limit: number }

/**
 * Deletes at most `limit` ledger rows of campaigns of one day, and gives how many. They are locked in their key's order, before the counters, as by a
 * writer of outcomes.
 */
export async function deleteLedgerRows(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // By key and not by `ctid`, which changes when this statement waits for another to update the row.
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

/** Deletes at most `limit` rows of answers to earlier attempts, of campaigns of one day, and gives how many. */
export async function deleteAttempts(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // The day names one partition whose rows are never updated, so a row's `ctid` does not change.
  const deleted = await sql`
    delete from ledger_attempts where day = ${day}::date and ctid = any(array(
      select ctid from ledger_attempts where day = ${day}::date and campaign_id = any(${campaignIds.map(idBytes)}::bytea[]) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}

/** Deletes at most `limit` reports of devices about campaigns of one day, and gives how many. The caller has locked the campaigns' counters. */
export async function deleteEngagements(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // Reports are never updated, so a row's `ctid` does not change.
  const deleted = await sql`
    delete from engagements where day = ${day} and ctid = any(array(
      select ctid from engagements where day = ${day} and campaign_id = any(${campaignIds.map(idBytes)}::bytea[]) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}
