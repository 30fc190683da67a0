import type { Platform } from '@herald/contracts/platform'
import type { Stats } from '@herald/contracts/stats'
import { conversionCounts } from './core/conversion-moves.ts'
import { statsOf, withConversions } from './core/stats.ts'
import { findCampaignConversions } from './store/conversions.ts'
import { findCounters, findVariantCounters } from './store/counters.ts'
import type { Tracker } from './tracker.ts'

/** Gives a campaign's statistics, with `variants` if it has some. Null when no fan-out has reported it, or it belongs to another app. */
export async function readStats(
  { db }: Pick<Tracker, 'db'>,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ stats: Stats } | null> {
  const { stats } = await listStats({ db }, { appId, campaignIds: [campaignId] })
  const ofCampaign = stats[campaignId]
  return ofCampaign ? { stats: ofCampaign } : null
}

/**
 * Gives the statistics of several campaigns, by campaign id. Campaigns without counters, or without pushes of the
 * platform, and those of other apps are left out.
 */
export async function listStats(
  { db }: Pick<Tracker, 'db'>,
  { appId, campaignIds, platform }: { appId: string; campaignIds: string[]; platform?: Platform | undefined },
): Promise<{ stats: Record<string, Stats> }> {
  const counters = await findCounters(db, appId, campaignIds, platform)
  const known = counters.map(({ campaignId }) => campaignId)
  const variants = Map.groupBy(await findVariantCounters(db, known), ({ campaignId }) => campaignId)
  const converted = Map.groupBy(await findCampaignConversions(db, known), ({ campaignId }) => campaignId)
  const statsOfRow = (row: (typeof counters)[number]) =>
    withConversions(statsOf(row, variants.get(row.campaignId) ?? []), conversionCounts(converted.get(row.campaignId) ?? []))
  return { stats: Object.fromEntries(counters.map((row) => [row.campaignId, statsOfRow(row)])) }
}
