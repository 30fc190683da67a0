import type { Verification } from '@herald/contracts/calls/tracker'
import { differenceOf, recountedStats } from './core/recount.ts'
import { statsOf } from './core/stats.ts'
import { findCounters, findKept, findVariantCounters } from './store/counters.ts'
import { inOneSnapshot, recount } from './store/recount.ts'
import type { Ledger } from './tracker.ts'

/**
 * Counts a campaign's rows anew and compares them with its counters. Null when the campaign is unknown, of another or a deleted app, or past the
 * ledger's retention.
 */
export async function verifyCampaign(
  { db, retentionDays }: Ledger,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Verification | null> {
  const known = await findCounters(db, appId, [campaignId])
  const [verification] = known.length > 0 ? await verifyCampaigns({ db, retentionDays }, [campaignId]) : []
  return verification ?? null
}

/** Counts several campaigns anew, in one snapshot, and compares each with its counters. Those that the ledger no longer keeps are left out. */
export const verifyCampaigns = ({ db, retentionDays }: Ledger, campaignIds: string[]): Promise<Verification[]> =>
  inOneSnapshot(db, async (snapshot) => {
    const kept = await findKept(snapshot, campaignIds, retentionDays)
    const variants = Map.groupBy(await findVariantCounters(snapshot, campaignIds), ({ campaignId }) => campaignId)
    const recounted = await recount(snapshot, kept)
    return kept.map((row) => {
      const { campaignId } = row
      const counters = statsOf(row, variants.get(campaignId) ?? [])
      const { rows, queued } = recounted.get(campaignId) ?? { rows: [], queued: 0 }
      const ledger = recountedStats(rows, queued)
      const difference = differenceOf(counters, ledger)
      return { campaignId, agrees: difference === 0, difference, counters, ledger }
    })
  })
