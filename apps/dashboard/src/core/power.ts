/** Quantiles of the normal distribution: 97.5 % (two sides, 95 % confidence) and 80 % (power). */
const confident = 1.959963984540054
const powerful = 0.8416212335729143

/** The assumed share of opened messages while nothing is known of the app. The page says so wherever it is used. */
export const assumedRate = 0.05

/**
 * How many devices each of two groups needs to show that one rate is `first` and the other `second`, with 80 % power and 95 % confidence: the two-sided
 * test of two proportions by the normal approximation, without continuity correction (Fleiss, Statistical Methods for Rates and Proportions, 4.2;
 * R's power.prop.test). Another power by its quantile.
 */
export function devicesNeeded(first: number, second: number, power = powerful): number {
  const middle = (first + second) / 2
  const together = confident * Math.sqrt(2 * middle * (1 - middle)) + power * Math.sqrt(first * (1 - first) + second * (1 - second))
  return (together / (first - second)) ** 2
}

/** The share of a true difference between two groups that is found, as `devicesNeeded` counts it. */
const findsWith = (rate: number, higher: number, one: number, other: number): boolean => {
  // Groups of two sizes find what two groups of their harmonic mean find.
  return devicesNeeded(rate, higher) <= (2 * one * other) / (one + other)
}

/**
 * The least difference in a rate (0.014 is 1.4 points) that two groups find in four of five experiments. Undefined when they find none, not even if everybody of one group
 * does it.
 */
export function leastDifference(rate: number, one: number, other: number): number | undefined {
  if (one < 2 || other < 2 || rate < 0 || rate >= 1) return undefined
  if (!findsWith(rate, 1, one, other)) return undefined
  let low = 0
  let high = 1 - rate
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (middle > 0 && findsWith(rate, rate + middle, one, other)) high = middle
    else low = middle
  }
  return high
}

/** No text changes a rate by more than this, so an experiment that finds larger differences only shows nothing. */
const hopeless = 0.25

export type Prospect = { shows: 'difference'; points: number; smallest: number } | { shows: 'nothing'; smallest: number }

/** What an experiment can show: the difference that even its two smallest groups find. */
export function prospectOf(rate: number, devices: number, sampleRate: number, weights: readonly number[]): Prospect {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const sizes = weights.map((weight) => Math.floor((devices * sampleRate * weight) / total)).toSorted((one, other) => one - other)
  const [smallest = 0, second = 0] = sizes
  const difference = leastDifference(rate, smallest, second)
  if (difference === undefined || difference > hopeless) return { shows: 'nothing', smallest }
  return { shows: 'difference', points: difference * 100, smallest }
}
