import { expect, test } from 'vitest'
import { chanceOf, differenceOf, sampleRatio, wilson, zOfVariants } from './intervals.ts'

const rounded = ({ low, high }: { low: number; high: number }) => [low, high].map((value) => Number(value.toFixed(4)))

// Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I, method 3.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the interval of %i of %i is the published one', (events, of, low, high) => {
  expect(rounded(wilson(events, of))).toEqual([low, high])
})

test('an interval of nothing says that nothing is known, and one of everything ends at 1', () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
  expect(wilson(20, 20).high).toBe(1)
  expect(rounded(wilson(20, 20))).toEqual([0.8389, 1])
})

// Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17 (1998), table II, method 10.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [0, 10, 0, 10, -0.2775, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])('the difference of %i/%i and %i/%i is the published one', (x, m, y, n, low, high) => {
  expect(rounded(differenceOf({ events: x, of: m }, { events: y, of: n }))).toEqual([low, high])
})

// The usual table of critical values of χ².
test.each([
  [3.841, 1, 0.05],
  [5.991, 2, 0.05],
  [7.815, 3, 0.05],
  [10.828, 1, 0.001],
  [13.816, 2, 0.001],
  [16.266, 3, 0.001],
] as const)('a chi-square of %f with %i degrees of freedom has the chance of the table', (value, degrees, chance) => {
  expect(chanceOf(value, degrees) / chance).toBeCloseTo(1, 2)
})

test('quantiles for several variants are those of 5 % shared among their pairs', () => {
  // P(|Z| > z) by the χ² of one degree of freedom.
  for (const [variants, pairs] of [
    [2, 1],
    [3, 3],
    [4, 6],
  ] as const)
    expect(chanceOf((zOfVariants[variants] ?? 0) ** 2, 1) * pairs).toBeCloseTo(0.05, 6)
})

test('10,000 to 9,400 at equal weights is no chance, 10,000 to 9,900 may be one', () => {
  const of = (one: number, other: number) =>
    sampleRatio([
      { assigned: one, weight: 1 },
      { assigned: other, weight: 1 },
    ])
  expect(of(10_000, 9_400).ok).toBe(false)
  expect(of(10_000, 9_900).ok).toBe(true)
  expect(of(0, 0)).toEqual({ p: 1, ok: true })
})

test('weights are taken as they are: 1 to 3 gives a quarter and three quarters', () => {
  expect(
    sampleRatio([
      { assigned: 2_500, weight: 1 },
      { assigned: 7_500, weight: 3 },
    ]),
  ).toEqual({ p: 1, ok: true })
})
