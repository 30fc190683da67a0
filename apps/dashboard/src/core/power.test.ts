import { expect, test } from 'vitest'
import { devicesNeeded, leastDifference, prospectOf } from './power.ts'

test('the number of devices that an experiment needs is the number in statistics textbooks', () => {
  // The manual page of R's power.prop.test(p1 = .50, p2 = .75, power = .90) gives n = 76.7.
  expect(devicesNeeded(0.5, 0.75, 1.2815515655446004)).toBeCloseTo(76.7, 1)
  // The numbers are from Fleiss, Levin, Paik, Statistical Methods for Rates and Proportions, table A.4 without the correction, for a power of 80 %
  // and a significance level of 5 %.
  expect(Math.ceil(devicesNeeded(0.1, 0.2))).toBe(199)
  expect(Math.ceil(devicesNeeded(0.5, 0.6))).toBe(388)
  expect(Math.ceil(devicesNeeded(0.6, 0.7))).toBe(356)
  expect(Math.ceil(devicesNeeded(0.05, 0.1))).toBe(435)
})

test('the smallest difference that two groups of one size can show needs exactly that many devices in each group', () => {
  for (const rate of [0.01, 0.05, 0.3, 0.5]) {
    for (const size of [50, 500, 5_000, 100_000]) {
      const difference = leastDifference(rate, size, size)
      expect(devicesNeeded(rate, rate + (difference ?? Number.NaN))).toBeCloseTo(size, 0)
    }
  }
})

test('more devices in an experiment show smaller differences, and uneven weights only larger ones, because one group is then smaller', () => {
  expect(leastDifference(0.05, 10_000, 10_000)).toBeLessThan(leastDifference(0.05, 1_000, 1_000) ?? 0)
  const even = prospectOf(0.05, 40_000, 0.5, [1, 1])
  const uneven = prospectOf(0.05, 40_000, 0.5, [9, 1])
  if (even.shows !== 'difference' || uneven.shows !== 'difference') throw new Error('both show something')
  expect(even.smallest).toBe(10_000)
  expect(uneven.smallest).toBe(2_000)
  expect(even.points).toBeLessThan(uneven.points)
  expect(even.points).toBeCloseTo((leastDifference(0.05, 10_000, 10_000) ?? 0) * 100)
})

test('an experiment with a few devices is said to show nothing', () => {
  expect(prospectOf(0.05, 20, 1, [1, 1])).toEqual({ shows: 'nothing', smallest: 10 })
  expect(prospectOf(0.05, 0, 1, [1, 1])).toEqual({ shows: 'nothing', smallest: 0 })
  expect(leastDifference(0.05, 1, 1_000)).toBeUndefined()
})
