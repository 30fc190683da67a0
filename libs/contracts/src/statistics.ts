/**
 * The statistics of experiments (spec: experiments/report). They are a few lines of known formulas, tested against published values
 * (statistics.test.ts, docs/decisions/0074-honest-experiments.md).
 */

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const

/** Gives the natural logarithm of the gamma function for x > 0, by Lanczos' approximation (g = 7, relative error about 1e-15). */
export function lnGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x)
  const t = x + 6.5
  const sum = lanczos.reduce((all, factor, place) => (place === 0 ? factor : all + factor / (x - 1 + place)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}

/** Gives the complementary error function for x >= 0, by the rational Chebyshev form of Numerical Recipes (relative error below 1.2e-7). */
function erfc(x: number): number {
  const t = 1 / (1 + x / 2)
  const series = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
  ].reduceRight((sum, factor) => factor + t * sum, 0)
  return t * Math.exp(-x * x + series)
}

/** Gives the chance that a χ² of 1, 2 or 3 degrees of freedom is at least this large: their closed forms. */
export function chiSquareTail(chiSquare: number, degrees: 1 | 2 | 3): number {
  const half = chiSquare / 2
  if (degrees === 2) return Math.exp(-half)
  return Math.min(1, erfc(Math.sqrt(half)) + (degrees === 3 ? 2 * Math.sqrt(half / Math.PI) * Math.exp(-half) : 0))
}

/** The users of a variant with a push sent, and those of them with the event. */
export type Counted = { users: number; events: number }

/** The weight of the prior of the test, in events: a larger one finds small differences later, a smaller one large ones. */
const concentration = 100

/**
 * Gives ln B of the anytime-valid multinomial test that events come in proportion to users (Lindon and Malek, Anytime-Valid Inference for Multinomial
 * Count Data, NeurIPS 2022).
 */
export function lnBayesFactor(variants: readonly Counted[]): number {
  const users = variants.reduce((sum, one) => sum + one.users, 0)
  const all = variants.reduce((sum, one) => sum + one.events, 0)
  if (users === 0 || all === 0) return 0
  const terms = variants.reduce((sum, { users: n, events: x }) => {
    if (n === 0) return sum
    const share = n / users
    return sum + lnGamma(concentration * share + x) - lnGamma(concentration * share) - x * Math.log(share)
  }, 0)
  return lnGamma(concentration) - lnGamma(concentration + all) + terms
}

/** Gives p of that test. Looking as often as one likes and stopping at p <= α names a winner between equals in at most α of experiments. */
export const anytimeP = (variants: readonly Counted[]): number => Math.min(1, Math.exp(-lnBayesFactor(variants)))

/** A share and its 95 % interval. */
export type Interval = { rate: number; low: number; high: number }
const z = 1.959963984540054

/** Gives a share with Wilson's interval; without any trial the interval is everything. */
export function wilson({ users: n, events: x }: Counted): Interval {
  if (n === 0) return { rate: 0, low: 0, high: 1 }
  const rate = x / n
  const centre = rate + (z * z) / (2 * n)
  const reach = z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))
  const scale = 1 + (z * z) / n
  return { rate, low: x === 0 ? 0 : (centre - reach) / scale, high: x === n ? 1 : (centre + reach) / scale }
}

/** Gives how much larger the second share is than the first, with Newcombe's interval (1998, method 10). */
export function newcombe(first: Counted, second: Counted): { difference: number; low: number; high: number } {
  const [one, two] = [wilson(first), wilson(second)]
  const difference = two.rate - one.rate
  return {
    difference,
    low: difference - Math.hypot(two.rate - two.low, one.high - one.rate),
    high: difference + Math.hypot(two.high - two.rate, one.rate - one.low),
  }
}

/** Gives by how many percent the second share is larger than the first; null when the first is 0. */
export const upliftPercent = (first: Counted, second: Counted): number | null => {
  const [one, two] = [wilson(first).rate, wilson(second).rate]
  return one === 0 ? null : (two / one - 1) * 100
}

/** Gives p of the χ² test that these two to four counts have the shares of their weights; 1 when nothing was counted. */
export function ratioP(counts: readonly number[], weights: readonly number[]): number {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const weight = weights.reduce((sum, one) => sum + one, 0)
  if (all === 0) return 1
  const chiSquare = counts.reduce((sum, count, place) => {
    const expected = (all * (weights[place] ?? 0)) / weight
    return sum + (count - expected) ** 2 / expected
  }, 0)
  return chiSquareTail(chiSquare, Math.min(3, Math.max(1, counts.length - 1)) as 1 | 2 | 3)
}

/** A sample ratio with a smaller p is a mistake somewhere, not chance (Fabijan et al., KDD 2019). */
export const leastRatioP = 0.001

/** Gives how many users a variant needs to find an uplift of 10 % of this rate (power 80 %, 95 % confidence); null at a rate of 0. */
export function usersNeeded(rate: number): number | null {
  const better = Math.min(1, rate * 1.1)
  if (rate <= 0 || better === rate) return null
  return Math.ceil((7.85 * (rate * (1 - rate) + better * (1 - better))) / (rate - better) ** 2)
}
