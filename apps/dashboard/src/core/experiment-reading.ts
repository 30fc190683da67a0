import { differenceOf, sampleRatio, wilson, z95, zOfVariants, type Interval } from './intervals.ts'

export type VariantCounts = { sent: number; failed: number; skipped: number; opened: number; clicked: number }
export type VariantOf = { id: string; name: string; weight: number }
export type Metric = 'opened' | 'clicked'

export type VariantReading = VariantOf & { assigned: number; sent: number; events: number; share: number | null; interval: Interval }
export type Conclusion =
  | { kind: 'nothing' }
  | { kind: 'not_yet'; best: VariantReading; next: VariantReading; interval: Interval }
  | { kind: 'better'; best: VariantReading; next: VariantReading; interval: Interval }
export type ExperimentReading = { variants: VariantReading[]; ratio: { p: number; ok: boolean }; conclusion: Conclusion }

const noCounts: VariantCounts = { sent: 0, failed: 0, skipped: 0, opened: 0, clicked: 0 }

/**
 * Says what an experiment shows: each variant's share of sent pushes that were opened or clicked (`metric`) with its 95 % Wilson interval, whether
 * variants got the shares of their weights, and whether one is better than every other.
 */
export function readExperiment(
  variants: readonly VariantOf[],
  counts: Readonly<Record<string, VariantCounts>> | undefined,
  metric: Metric,
): ExperimentReading {
  const read = variants.map(({ id, name, weight }): VariantReading => {
    const of = counts?.[id] ?? noCounts
    const events = of[metric]
    return {
      id,
      name,
      weight,
      assigned: of.sent + of.failed + of.skipped,
      sent: of.sent,
      events,
      share: of.sent === 0 ? null : events / of.sent,
      interval: wilson(Math.min(events, of.sent), of.sent),
    }
  })
  return { variants: read, ratio: sampleRatio(read), conclusion: conclusionOf(read) }
}

function conclusionOf(variants: readonly VariantReading[]): Conclusion {
  if (variants.some(({ sent }) => sent === 0) || variants.every(({ events }) => events === 0)) return { kind: 'nothing' }
  const [best, ...others] = variants.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0))
  const z = zOfVariants[variants.length] ?? z95
  const counted = ({ events, sent }: VariantReading) => ({ events: Math.min(events, sent), of: sent })
  // The nearest rival is the variant over which the best variant's lead is least certain: the interval of their difference begins lowest. It need not
  // have the second-highest share, because few sent pushes make an interval wide.
  const rivals = others.map((next) => ({ next, ...differenceOf(best ? counted(best) : { events: 0, of: 0 }, counted(next), z) }))
  const [nearest] = rivals.toSorted((a, b) => a.low - b.low)
  if (!best || !nearest) return { kind: 'nothing' }
  const { next, low, high } = nearest
  return { kind: low > 0 ? 'better' : 'not_yet', best, next, interval: { low, high } }
}

const points = (share: number): string => (share * 100).toFixed(1).replace('-', '−')

/** Says the result of an experiment in a sentence. */
export function conclusionSentence(conclusion: Conclusion, metric: Metric): string {
  const what = metric === 'opened' ? 'opens' : 'clicks'
  if (conclusion.kind === 'nothing') return `Not yet: there are no ${what} to compare.`
  const { best, next, interval } = conclusion
  if (conclusion.kind === 'better')
    return `${best.name} is better than ${next.name} by ${points(interval.low)} to ${points(interval.high)} points in ${what}.`
  return `Not yet: the difference in ${what} between ${best.name} and ${next.name} may be anything from ${points(interval.low)} to ${points(interval.high)} points.`
}
