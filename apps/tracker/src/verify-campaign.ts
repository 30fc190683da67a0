import type { Verification } from '@herald/contracts/calls/tracker'
import { differenceOf, recountedStats } from './core/recount.ts'
import { statsOf } from './core/stats.ts'
import { findCounters, findKept } from './store/counters.ts'
import { inOneSnapshot, recount } from './store/recount.ts'
import type { Db } from './store/tables.ts'
import { findVariantCounters } from './store/variant-counters.ts'

/** Counts a campaign of an app anew and holds that against its counters; null when it is unknown or past the ledger's retention. */
export async function verifyCampaign(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Verification | null> {
  const known = await findCounters(db, appId, [campaignId])
  const [verification] = known.length > 0 ? await verifyCampaigns({ db, retentionDays }, [campaignId]) : []
  return verification ?? null
}

/** The same of several campaigns, in one snapshot. Those that the ledger does not know any more are not in the answer. */
export const verifyCampaigns = ({ db, retentionDays }: { db: Db; retentionDays: number }, campaignIds: string[]): Promise<Verification[]> =>
  inOneSnapshot(db, async (snapshot) => {
    const kept = await findKept(snapshot, campaignIds, retentionDays)
    const variants = Map.groupBy(await findVariantCounters(snapshot, campaignIds), ({ campaign_id }) => campaign_id)
    const recounted = await recount(snapshot, kept)
    return kept.map((row) => {
      const campaignId = row.campaign_id
      const counters = statsOf(row, variants.get(campaignId) ?? [])
      const { rows, queued } = recounted.get(campaignId) ?? { rows: [], queued: 0 }
      const ledger = recountedStats(rows, queued)
      const difference = differenceOf(counters, ledger)
      return { campaignId, agrees: difference === 0, difference, counters, ledger }
    })
  })
