import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Slots } from '../core/slots.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

/** Where a campaign's ledger lies, and whether it is still kept; undefined: nothing was ever queued. */
export async function findLedgerOf(
  db: Db,
  { appId, campaignId, retentionDays }: { appId: string; campaignId: string; retentionDays: number },
): Promise<{ day: string; isKept: boolean } | undefined> {
  const { rows } = await sql<{ day: string; isKept: boolean }>`
    select day, day >= (now() at time zone 'utc')::date - ${retentionDays}::int as "isKept"
    from counters where campaign_id = ${campaignId} and app_id || '' = ${appId}`.execute(db)
  return rows[0]
}

/** A row of the ledger with all that it holds. */
export type WholeRow = Slots & { no: number; platform: Platform; devices: Buffer; users: Buffer }

/** Pushes of a portion, about: rows are read whole. */
const mostPushes = 1_000

/**
 * The next rows of a campaign in the order of their batches and places, from the one that the push after this place is in; `isMore`: others follow.
 * Rows are added up before what they hold is read.
 */
export async function findRowsAfter(
  db: Db,
  { day, campaignId, no, place }: { day: string; campaignId: string; no: number; place: number },
): Promise<{ rows: WholeRow[]; isMore: boolean }> {
  const { rows } = await sql<WholeRow>`
    with next as materialized (
      select l.batch_no, l.place, l.size from ledger_batches l
      where l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)} and l.batch_no >= ${no}::int
        and (l.batch_no > ${no}::int or l.place + l.size - 1 > ${place}::int)
      order by l.batch_no, l.place limit ${mostPushes + 1}
    ), portion as (
      select batch_no, place from (select *, sum(size) over (order by batch_no, place) - size as before from next) added where before <= ${mostPushes}
    )
    select l.batch_no as no, l.platform, l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped, l.devices, l.users
    from portion cross join lateral (
      select * from ledger_batches l
      where l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)} and l.batch_no = portion.batch_no and l.place = portion.place
      offset 0
    ) l
    order by l.batch_no, l.place`.execute(db)
  const isMore = rows.reduce((sum, { size }) => sum + size, 0) >= mostPushes
  return { rows, isMore }
}
