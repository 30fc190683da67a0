import type { ConversionCounts } from '@herald/contracts/conversion'
import { sumOf, type Platform } from '@herald/contracts/platform'
import type { Stats } from '@herald/contracts/stats'

export type Counts = Omit<Stats, 'queued' | 'variants'>
export type CampaignCounts = Counts & { queued: Record<Platform, number> }
export type VariantCounts = Counts & { variant: string }

/** Makes the statistics of a campaign from its counters. `variants` is there only when the campaign has variants. */
export function statsOf(campaign: CampaignCounts, variants: VariantCounts[]): Stats {
  const stats: Stats = { queued: sumOf(campaign.queued), ...countsOf(campaign) }
  if (variants.length > 0) stats.variants = Object.fromEntries(variants.map((counts) => [counts.variant, countsOf(counts)]))
  return stats
}

/** Adds conversions to statistics, where there are any. */
export function withConversions(
  stats: Stats,
  { all, byVariant }: { all: ConversionCounts; byVariant: Map<string, ConversionCounts> },
): Stats {
  if (Object.keys(all).length === 0) return stats
  const variants = Object.entries(stats.variants ?? {}).map(([variant, counts]) => {
    const conversions = byVariant.get(variant)
    return [variant, conversions ? { ...counts, conversions } : counts] as const
  })
  return { ...stats, conversions: all, ...(stats.variants && { variants: Object.fromEntries(variants) }) }
}

/** Gives the counters of a row without its other columns. */
export const countsOf = ({ sent, failed, skipped, delivered, opened, clicked, dismissed }: Counts): Counts => ({
  sent,
  failed,
  skipped,
  delivered,
  opened,
  clicked,
  dismissed,
})
