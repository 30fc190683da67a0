/** Quantiles of the normal distribution: 97.5 % for a two-sided confidence of 95 %, and 80 % for the power. */
const confident = 1.959963984540054
const powerful = 0.8416212335729143

/**
 * The share of opened messages that is assumed while the last 30 days say too little: fewer than 100 messages sent, or none or all of them opened.
 * The page says so wherever this number is used.
 */
export const assumedRate = 0.05

/**
 * Gives how many devices each group needs to show the rates `first` and `second`, with 95 % confidence and `power` (normal quantile): two-sided test,
 * no continuity correction (Fleiss, Statistical Methods for Rates and Proportions, 4.2; R's power.prop.test).
 */
export function devicesNeeded(first: number, second: number, power = powerful): number {
  const middle = (first + second) / 2
  const together = confident * Math.sqrt(2 * middle * (1 - middle)) + power * Math.sqrt(first * (1 - first) + second * (1 - second))
  return (together / (first - second)) ** 2
}

/** Says whether two groups of these sizes are large enough to show the difference between two rates. */
const findsWith = (rate: number, higher: number, one: number, other: number): boolean => {
  // Two groups of different sizes show as much as two equal groups whose size is the harmonic mean of the two sizes.
  return devicesNeeded(rate, higher) <= (2 * one * other) / (one + other)
}

/**
 * Gives the smallest difference from `rate` that two groups of these sizes show at a power of 80 %. It is a share: 0.014 is 1.4 points. Undefined
 * when the groups are too small for any difference.
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

/**
 * A text hardly changes a rate by more than this, which is 25 points. So an experiment that can show only larger differences is said to show
 * nothing.
 */
const hopeless = 0.25

export type Prospect = { shows: 'difference'; points: number; smallest: number } | { shows: 'nothing'; smallest: number }

/** Says what an experiment can show: the smallest difference that its two smallest groups can still show. */
export function prospectOf(rate: number, devices: number, sampleRate: number, weights: readonly number[]): Prospect {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const sizes = weights.map((weight) => Math.floor((devices * sampleRate * weight) / total)).toSorted((one, other) => one - other)
  const [smallest = 0, second = 0] = sizes
  const difference = leastDifference(rate, smallest, second)
  if (difference === undefined || difference > hopeless) return { shows: 'nothing', smallest }
  return { shows: 'difference', points: difference * 100, smallest }
}
