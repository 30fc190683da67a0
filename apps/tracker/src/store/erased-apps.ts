import { sql } from 'kysely'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

export const deleteListeners = (db: Db, appId: string): Promise<unknown> => sql`delete from listeners where app_id = ${appId}`.execute(db)

type Part = { day: string; campaignIds: string[]; limit: number }

/**
 * Deletes at most `limit` rows that campaigns of one day have in the ledger, and gives their number. They are locked in the order of the key and before
 * the counters, as a writer of outcomes locks them. They are deleted by key: a row that was written while this statement waited for its lock lies at
 * another place by then.
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

/** Deletes at most `limit` rows of earlier tries that campaigns of one day have, and gives their number. */
export async function deleteAttempts(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // The day names one partition, and no row of it is ever updated, so the place of a row is a key.
  const deleted = await sql`
    delete from ledger_attempts where day = ${day}::date and ctid = any(array(
      select ctid from ledger_attempts where day = ${day}::date and campaign_id = any(${campaignIds.map(idBytes)}::bytea[]) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}

/** Deletes at most `limit` reports that campaigns of one day have, and gives their number. The caller has locked their counters. */
export async function deleteEngagements(db: Db, { day, campaignIds, limit }: Part): Promise<number> {
  // As with earlier tries, the place of a row is a key.
  const deleted = await sql`
    delete from engagements where day = ${day} and ctid = any(array(
      select ctid from engagements where day = ${day} and campaign_id = any(${campaignIds}) limit ${limit}
    ))`.execute(db)
  return Number(deleted.numAffectedRows ?? 0)
}
