import type { EndOfPlaces } from '@herald/contracts/outcome'
import { endedPlaces, idAt, slotAt } from './core/slots.ts'
import { findKept } from './store/counters.ts'
import { findRows, findRowsOfDevices } from './store/ledger.ts'
import type { Ledger, Tracker } from './tracker.ts'

/** Gives which pushes of a batch have an outcome already, for a dispatcher that takes a batch which another dispatcher had taken before. */
export async function readOutcomesOfBatch(
  { db }: Pick<Tracker, 'db'>,
  batch: { day: string; campaignId: string; no: number },
): Promise<{ results: (EndOfPlaces & { at: string })[] }> {
  const rows = await findRows(db, batch)
  return { results: rows.flatMap(endedPlaces).map(({ at, ...end }) => ({ ...end, at: new Date(at).toISOString() })) }
}

/**
 * Finds which of these devices have an outcome of a campaign, for audience, which does not know the campaign's day. The answer is empty for a
 * campaign that the ledger does not keep.
 */
export async function findPushesWithOutcome(
  { db, retentionDays }: Ledger,
  { campaignId, subscriptionIds }: { campaignId: string; subscriptionIds: string[] },
): Promise<{ subscriptionIds: string[] }> {
  const [campaign] = await findKept(db, [campaignId], retentionDays)
  if (!campaign || subscriptionIds.length === 0) return { subscriptionIds: [] }
  const rows = await findRowsOfDevices(db, { day: campaign.day, campaignId, ids: subscriptionIds })
  const ended = new Set<string>()
  for (const row of rows) {
    for (let index = 0; index < row.size; index += 1) if (slotAt(row, index) !== 0) ended.add(idAt(row.devices, index))
  }
  return { subscriptionIds: subscriptionIds.filter((id) => ended.has(id)) }
}
