import { mostPlaces } from '@herald/contracts/outcome'
import { readCursor, writeCursor } from './core/page-cursor.ts'
import { idAt, readEnds, slotAt } from './core/slots.ts'
import { findEngagements } from './store/engagements.ts'
import { findRowsAfter, type WholeRow } from './store/exported-rows.ts'
import { findLedgerOf } from './store/ledger.ts'
import type { Ledger } from './tracker.ts'

/** A page of a fan-out scans 5,000 devices, and the last row of a portion has at most `mostPlaces`. */
const portionSize = 5_000 - mostPlaces

type Device = { subscriptionId: string; userId: string }

/**
 * Gives the next devices to which a campaign was sent, whole rows of the ledger in its order. With `unopened` those that reported it opened are left
 * out. Null when the campaign is unknown or past the retention.
 */
export async function listReached(
  { db, retentionDays }: Ledger,
  { appId, campaignId, unopened, after }: { appId: string; campaignId: string; unopened: boolean; after: string | null },
): Promise<{ devices: Device[]; next: string | null } | null> {
  const ledger = await findLedgerOf(db, { appId, campaignId, retentionDays })
  if (!ledger?.isKept) return null
  const { day } = ledger
  const from = after === null ? undefined : readCursor(after)
  const { rows, isMore } = await findRowsAfter(db, { day, campaignId, no: from?.no ?? 0, place: from?.place ?? -1 }, portionSize)
  const sent = rows.flatMap(devicesSentTo)
  const reported = unopened
    ? await findEngagements(
        db,
        sent.map(({ subscriptionId }) => ({ day, campaignId, subscriptionId })),
      )
    : noReports
  const last = rows.at(-1)
  return {
    devices: sent.filter(({ subscriptionId }) => !reported.get(campaignId + subscriptionId)?.includes('opened')),
    next: isMore && last ? writeCursor({ campaignId, no: last.no, place: last.place + last.size - 1 }) : null,
  }
}

const noReports: Awaited<ReturnType<typeof findEngagements>> = new Map()

function devicesSentTo(row: WholeRow): Device[] {
  const ends = readEnds(row)
  return Array.from({ length: row.size }, (_, index) => index)
    .filter((index) => ends[slotAt(row, index) - 1]?.outcome === 'sent')
    .map((index) => ({ subscriptionId: idAt(row.devices, index), userId: idAt(row.users, index) }))
}
