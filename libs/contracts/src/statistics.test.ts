import { expect, test } from 'vitest'
import { anytimeP, chiSquareTail, lnBayesFactor, lnGamma, newcombe, ratioP, upliftPercent, usersNeeded, wilson } from './statistics.ts'

/** A generator with a seed (mulberry32), so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const equal = (...events: number[]) => events.map((of) => ({ users: 10_000, events: of }))

// spec: experiments/anytime-test
test('the test has the published vectors to 1e-4', () => {
  expect(lnBayesFactor(equal(60, 40))).toBeCloseTo(0.6589, 4)
  expect(anytimeP(equal(60, 40))).toBeCloseTo(0.5174, 4)
  expect(lnBayesFactor(equal(320, 240))).toBeCloseTo(3.9222, 4)
  expect(anytimeP(equal(320, 240))).toBeCloseTo(0.0198, 4)
  expect(anytimeP(equal(0, 0))).toBe(1)
  expect(anytimeP(equal(50, 50))).toBe(1)
  expect(
    anytimeP([
      { users: 0, events: 0 },
      { users: 5, events: 3 },
    ]),
  ).toBe(1)
})

test('the logarithm of the gamma function and the tails of χ² are those of the tables', () => {
  for (const [x, ln] of [
    [0.1, 2.252712651734206],
    [1, 0],
    [0.5, 0.5723649429247001],
    [5, 3.1780538303479458],
    [100, 359.1342053695754],
    [1_000, 5_905.220423209181],
  ] as const)
    expect(Math.abs(lnGamma(x) - ln)).toBeLessThan(1e-9)
  for (const [chiSquare, degrees, tail] of [
    [3.841459, 1, 0.05],
    [6.634897, 1, 0.01],
    [10.827566, 1, 0.001],
    [5.991465, 2, 0.05],
    [7.814728, 3, 0.05],
    [16.266236, 3, 0.001],
  ] as const)
    expect(chiSquareTail(chiSquare, degrees)).toBeCloseTo(tail, 6)
})

// spec: experiments/intervals
test('intervals are Wilson’s and Newcombe’s, with the values of his paper', () => {
  const [low, high] = [wilson({ users: 263, events: 81 }), wilson({ users: 148, events: 15 })]
  expect([low.low, low.high, high.low, high.high].map((one) => one.toFixed(4))).toEqual(['0.2553', '0.3662', '0.0624', '0.1605'])
  expect(wilson({ users: 20, events: 0 })).toMatchObject({ low: 0, high: expect.closeTo(0.1611, 4) as number })
  expect(wilson({ users: 0, events: 0 })).toEqual({ rate: 0, low: 0, high: 1 })
  // 56 of 70 against 48 of 80: 0.2, from 0.0524 to 0.3339.
  const found = newcombe({ users: 80, events: 48 }, { users: 70, events: 56 })
  expect([found.difference, found.low, found.high].map((one) => one.toFixed(4))).toEqual(['0.2000', '0.0524', '0.3339'])
  expect(upliftPercent({ users: 100, events: 10 }, { users: 100, events: 13 })).toBeCloseTo(30, 10)
  expect(upliftPercent({ users: 100, events: 0 }, { users: 100, events: 13 })).toBeNull()
})

// spec: experiments/sample-ratio
test('10,000 against 9,400 users at equal weights is no chance, 10,000 against 9,900 may be', () => {
  expect(ratioP([10_000, 9_400], [1, 1])).toBeLessThan(0.001)
  expect(ratioP([10_000, 9_900], [1, 1])).toBeGreaterThan(0.1)
  expect(ratioP([3_000, 1_000, 1_000, 1_000], [3, 1, 1, 1])).toBe(1)
  expect(ratioP([0, 0], [1, 1])).toBe(1)
})

// spec: experiments/needed
test('at 5 % opens some 31,000 users a variant find an uplift of 10 %', () => {
  expect(usersNeeded(0.05)).toBeGreaterThan(30_000)
  expect(usersNeeded(0.05)).toBeLessThan(32_000)
  expect(usersNeeded(0)).toBeNull()
})

// spec: experiments/anytime-test
test('of 500 seeded experiments between equals that are looked at every 20 opens at most 8 % are ever decided', () => {
  const random = seeded(20_260_201)
  let decided = 0
  for (let experiment = 0; experiment < 500; experiment += 1) {
    const [one, two] = [
      { users: 20_000, events: 0 },
      { users: 20_000, events: 0 },
    ]
    for (let opens = 1; opens <= 2_000; opens += 1) {
      if (random() < 0.5) one.events += 1
      else two.events += 1
      if (opens % 20 === 0 && anytimeP([one, two]) <= 0.05) {
        decided += 1
        break
      }
    }
  }
  expect(decided).toBeLessThanOrEqual(40)
})

// spec: experiments/anytime-test
test('of 100 seeded experiments with a planted uplift of 30 % nearly all are decided, each for the better variant', () => {
  const random = seeded(7)
  let right = 0
  for (let experiment = 0; experiment < 100; experiment += 1) {
    const [one, two] = [
      { users: 20_000, events: 0 },
      { users: 20_000, events: 0 },
    ]
    for (let opens = 1; opens <= 2_300; opens += 1) {
      if (random() < 1.3 / 2.3) two.events += 1
      else one.events += 1
      if (opens % 20 === 0 && anytimeP([one, two]) <= 0.05) {
        if (two.events > one.events) right += 1
        break
      }
    }
  }
  expect(right).toBeGreaterThanOrEqual(97)
})
