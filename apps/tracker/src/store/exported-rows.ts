import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Slots } from '../core/slots.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

/** A row of the ledger with its devices and users. */
export type WholeRow = Slots & { no: number; platform: Platform; devices: Buffer; users: Buffer }

/**
 * Finds the next rows of a campaign, from that of the first push after a place, with about `mostPushes`; rows are not split. `isMore`: more may
 * follow. Sizes are added up first, so only the portion is read whole.
 */
export async function findRowsAfter(
  db: Db,
  { day, campaignId, no, place }: { day: string; campaignId: string; no: number; place: number },
  mostPushes: number,
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
