import { engagementKinds, type EngagementKind } from '@herald/contracts/event'
import { outcomes, type OutcomeKind } from '@herald/contracts/outcome'
import { noStats, type Stats } from '@herald/contracts/stats'
import type { Counts } from './stats.ts'

/** How many rows of a campaign's ledger and reports have this variant (empty without one) and kind. */
export type Recounted = { variant: string; kind: OutcomeKind | EngagementKind; count: number }

const kinds = [...outcomes, ...Object.values(engagementKinds)]
const { queued: _, variants: __, ...noCounts } = noStats

/**
 * The statistics of a campaign by its rows. No row tells what was queued: it is what the counters say, but for a settled campaign, where
 * every queued push must have a row, and never less than the rows there are.
 */
export function recountedStats(rows: Recounted[], { queued, isSettled }: { queued: number; isSettled: boolean }): Stats {
  const stats: Stats = { ...noStats }
  const variants: Record<string, Counts> = {}
  for (const { variant, kind, count } of rows) {
    stats[kind] += count
    if (variant !== '') (variants[variant] ??= { ...noCounts })[kind] += count
  }
  const ended = outcomes.reduce((sum, kind) => sum + stats[kind], 0)
  stats.queued = isSettled ? ended : Math.max(queued, ended)
  return Object.keys(variants).length > 0 ? { ...stats, variants } : stats
}

/** What two counts of one campaign are off, added up over every number, those of the variants too. */
export function differenceOf(one: Stats, other: Stats): number {
  const variants = new Set([...Object.keys(one.variants ?? {}), ...Object.keys(other.variants ?? {})])
  const ofVariants = [...variants].map((variant) => offBy(one.variants?.[variant] ?? noCounts, other.variants?.[variant] ?? noCounts))
  return Math.abs(one.queued - other.queued) + offBy(one, other) + ofVariants.reduce((sum, off) => sum + off, 0)
}

const offBy = (one: Counts, other: Counts): number => kinds.reduce((sum, kind) => sum + Math.abs(one[kind] - other[kind]), 0)
