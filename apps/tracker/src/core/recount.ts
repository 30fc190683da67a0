import { engagementKinds, type EngagementKind } from '@herald/contracts/event'
import { outcomes, type OutcomeKind } from '@herald/contracts/outcome'
import { noStats, type Stats } from '@herald/contracts/stats'
import type { Counts } from './stats.ts'

/** How many slots or reports of a campaign have this variant and kind. `variant` is empty outside of an experiment. */
export type Recounted = { variant: string; kind: OutcomeKind | EngagementKind; count: number }

const kinds = [...outcomes, ...Object.values(engagementKinds)]
const { queued: _, variants: __, ...noCounts } = noStats

/** Makes the statistics of a campaign from the counts of its slots and reports. */
export function recountedStats(rows: Recounted[], queued: number): Stats {
  const stats: Stats = { ...noStats, queued }
  const variants: Record<string, Counts> = {}
  for (const { variant, kind, count } of rows) {
    stats[kind] += count
    if (variant !== '') (variants[variant] ??= { ...noCounts })[kind] += count
  }
  return Object.keys(variants).length > 0 ? { ...stats, variants } : stats
}

/** Compares two statistics of a campaign: adds up by how much each count differs, both of the whole campaign and of its variants. */
export function differenceOf(one: Stats, other: Stats): number {
  const variants = new Set([...Object.keys(one.variants ?? {}), ...Object.keys(other.variants ?? {})])
  const ofVariants = [...variants].map((variant) => offBy(one.variants?.[variant] ?? noCounts, other.variants?.[variant] ?? noCounts))
  return Math.abs(one.queued - other.queued) + offBy(one, other) + ofVariants.reduce((sum, off) => sum + off, 0)
}

const offBy = (one: Counts, other: Counts): number => kinds.reduce((sum, kind) => sum + Math.abs(one[kind] - other[kind]), 0)
