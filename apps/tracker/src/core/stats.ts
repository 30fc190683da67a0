import type { Platform } from '@herald/contracts/platform'
import type { Stats } from '@herald/contracts/stats'

export type Counts = Omit<Stats, 'queued' | 'variants'>
export type CampaignCounts = Counts & Record<`queued_${Platform}`, number>
export type VariantCounts = Counts & { variant: string }

/** Counters as the statistics show them; `variants` only when there are some. */
export function statsOf(campaign: CampaignCounts, variants: VariantCounts[]): Stats {
  const queued = campaign.queued_ios + campaign.queued_android + campaign.queued_web
  const stats: Stats = { queued, ...countsOf(campaign) }
  if (variants.length > 0) stats.variants = Object.fromEntries(variants.map((counts) => [counts.variant, countsOf(counts)]))
  return stats
}

/** The counters of a row, without what else it holds. */
export const countsOf = ({ sent, failed, skipped, delivered, opened, clicked, dismissed }: Counts): Counts => ({
  sent,
  failed,
  skipped,
  delivered,
  opened,
  clicked,
  dismissed,
})
