import { expect, test } from 'vitest'
import { chanceOf, differenceOf, sampleRatio, wilson, zOfVariants } from './intervals.ts'

const rounded = ({ low, high }: { low: number; high: number }) => [low, high].map((value) => Number(value.toFixed(4)))

// The numbers are from Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I, method 3.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the 95 %% interval of a share of %i of %i is the published one', (events, of, low, high) => {
  expect(rounded(wilson(events, of))).toEqual([low, high])
})

test('a share’s interval is 0 to 1 when nothing was counted, and ends at 1 for 100 %', () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
  expect(wilson(20, 20).high).toBe(1)
  expect(rounded(wilson(20, 20))).toEqual([0.8389, 1])
})

// The numbers are from Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17 (1998), table II,
// method 10.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [0, 10, 0, 10, -0.2775, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])('the 95 %% interval of the difference between %i/%i and %i/%i is the published one', (x, m, y, n, low, high) => {
  expect(rounded(differenceOf({ events: x, of: m }, { events: y, of: n }))).toEqual([low, high])
})

// Critical values of χ² as statistics tables have them.
test.each([
  [3.841, 1, 0.05],
  [5.991, 2, 0.05],
  [7.815, 3, 0.05],
  [10.828, 1, 0.001],
  [13.816, 2, 0.001],
  [16.266, 3, 0.001],
] as const)('a χ² of %f with %i degrees of freedom is as likely as the statistics table says', (value, degrees, chance) => {
  expect(chanceOf(value, degrees) / chance).toBeCloseTo(1, 2)
})

test('for several variants a 5 % chance of an error is shared among all pairs of variants', () => {
  // `chanceOf` of z² with one degree of freedom is the chance of an error of one pair, P(|Z| > z). The chances of all pairs add up to 5 %.
  for (const [variants, pairs] of [
    [2, 1],
    [3, 3],
    [4, 6],
  ] as const)
    expect(chanceOf((zOfVariants[variants] ?? 0) ** 2, 1) * pairs).toBeCloseTo(0.05, 6)
})

test('at equal weights a split of 10,000 to 9,400 is called wrong, 10,000 to 9,900 may be chance', () => {
  const of = (one: number, other: number) =>
    sampleRatio([
      { assigned: one, weight: 1 },
      { assigned: other, weight: 1 },
    ])
  expect(of(10_000, 9_400).ok).toBe(false)
  expect(of(10_000, 9_900).ok).toBe(true)
  expect(of(0, 0)).toEqual({ p: 1, ok: true })
})

test('a split of a quarter to three quarters is right for the weights 1 and 3', () => {
  expect(
    sampleRatio([
      { assigned: 2_500, weight: 1 },
      { assigned: 7_500, weight: 3 },
    ]),
  ).toEqual({ p: 1, ok: true })
})
