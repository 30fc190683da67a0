/** A confidence interval of a share, which is a number from 0 to 1, or of the difference of two shares. */
export type Interval = { low: number; high: number }

/** The quantile of the standard normal distribution for a two-sided 95 % interval. */
export const z95 = 1.959963984540054

/**
 * Gives Wilson's score interval for `events` out of `of`, without continuity correction. When `of` is 0 the interval is 0 to 1, because nothing is
 * known.
 */
export function wilson(events: number, of: number, z = z95): Interval {
  if (of <= 0) return { low: 0, high: 1 }
  const share = events / of
  const square = z * z
  const middle = 2 * of * share + square
  const width = z * Math.sqrt(square + 4 * of * share * (1 - share))
  const whole = 2 * (of + square)
  return {
    low: events === 0 ? 0 : Math.max(0, (middle - width) / whole),
    high: events === of ? 1 : Math.min(1, (middle + width) / whole),
  }
}

export type Counted = { events: number; of: number }

/** Gives the confidence interval of the difference `a − b` of two shares: method 10 of Newcombe 1998, which uses Wilson's intervals. */
export function differenceOf(a: Counted, b: Counted, z = z95): Interval & { difference: number } {
  if (a.of <= 0 || b.of <= 0) return { difference: 0, low: -1, high: 1 }
  const [p, q] = [a.events / a.of, b.events / b.of]
  const [forA, forB] = [wilson(a.events, a.of, z), wilson(b.events, b.of, z)]
  return {
    difference: p - q,
    low: p - q - Math.hypot(p - forA.low, forB.high - q),
    high: p - q + Math.hypot(forA.high - p, q - forB.low),
  }
}

/**
 * The quantile for the intervals of differences between 2, 3 or 4 variants (1, 3 or 6 pairs). With it all intervals together hold at 95 %
 * (Bonferroni); with `z95` pairs would too often differ by chance.
 */
export const zOfVariants: Readonly<Record<number, number>> = { 2: z95, 3: 2.393979800087, 4: 2.638257273476 }

/** Gives the complementary error function with a relative error of about 1e-7 (`erfcc` in Numerical Recipes, a Chebyshev fit). */
function erfc(x: number): number {
  const size = Math.abs(x)
  const t = 1 / (1 + 0.5 * size)
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223,
  ]
  const value = t * Math.exp(-size * size + coefficients.reduce((sum, coefficient) => sum * t + coefficient, 0))
  return x >= 0 ? value : 2 - value
}

/** Gives the probability that χ² is at least this large by chance, for 1 to 3 degrees of freedom. */
export function chanceOf(chiSquare: number, degrees: 1 | 2 | 3): number {
  if (chiSquare <= 0) return 1
  if (degrees === 2) return Math.exp(-chiSquare / 2)
  const one = erfc(Math.sqrt(chiSquare / 2))
  return degrees === 1 ? one : one + Math.sqrt((2 * chiSquare) / Math.PI) * Math.exp(-chiSquare / 2)
}

/**
 * When Pearson's test finds a smaller probability than this for the split of the variants, chance does not explain the split, and the result of the
 * experiment is not to be trusted (Fabijan et al., KDD 2019).
 */
const leastChance = 0.001

/**
 * Says whether the variants got as many devices as their weights say, by Pearson's χ² test of the assigned devices. `p` is the probability that
 * chance alone gives a split at least as uneven as this one.
 */
export function sampleRatio(variants: readonly { assigned: number; weight: number }[]): { p: number; ok: boolean } {
  const assigned = variants.reduce((sum, variant) => sum + variant.assigned, 0)
  const weights = variants.reduce((sum, variant) => sum + variant.weight, 0)
  if (assigned === 0 || variants.length < 2 || variants.length > 4) return { p: 1, ok: true }
  const chiSquare = variants.reduce((sum, variant) => {
    const expected = (assigned * variant.weight) / weights
    return sum + (variant.assigned - expected) ** 2 / expected
  }, 0)
  const p = chanceOf(chiSquare, (variants.length - 1) as 1 | 2 | 3)
  return { p, ok: p > leastChance }
}
