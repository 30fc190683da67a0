import type { Stats } from '@herald/contracts/stats'
import { statsOf } from './core/stats.ts'
import { findCounters } from './store/counters.ts'
import { findVariantCounters } from './store/variant-counters.ts'
import type { Db } from './store/tables.ts'

/** A campaign's counters as they are committed now; null when there are none for this app. `variants` only when there were some. */
export async function readStats(db: Db, { appId, campaignId }: { appId: string; campaignId: string }): Promise<{ stats: Stats } | null> {
  const { stats } = await listStats(db, { appId, campaignIds: [campaignId] })
  const ofCampaign = stats[campaignId]
  return ofCampaign ? { stats: ofCampaign } : null
}

/** The same of several campaigns, by id; those without counters are not in it. */
export async function listStats(
  db: Db,
  { appId, campaignIds }: { appId: string; campaignIds: string[] },
): Promise<{ stats: Record<string, Stats> }> {
  const counters = await findCounters(db, appId, campaignIds)
  const variants = Map.groupBy(
    await findVariantCounters(
      db,
      counters.map(({ campaign_id }) => campaign_id),
    ),
    ({ campaign_id }) => campaign_id,
  )
  return { stats: Object.fromEntries(counters.map((row) => [row.campaign_id, statsOf(row, variants.get(row.campaign_id) ?? [])])) }
}
