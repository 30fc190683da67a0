import { expect, test } from 'vitest'
import { neededText, pointsText, upliftVerdict, verdictOf, whenDecided, type ExperimentReport, type Uplift } from './experiment-words.ts'

const variant = (id: string, sent: number, events: number) => ({ id, assigned: sent, sent, events, rate: events / sent, low: 0, high: 1 })
const report = (changed: Partial<ExperimentReport> = {}): ExperimentReport => ({
  metric: 'open',
  asOf: '2026-12-01T10:00:00.000Z',
  final: false,
  sampleRatio: { p: 0.8, ok: true },
  sentRatio: { p: 0.8, ok: true },
  variants: [variant('a', 5_000, 500), variant('b', 5_000, 620)],
  comparisons: [],
  p: 0.21,
  decided: false,
  decidedBy: null,
  needed: { usersPerVariant: 14_000 },
  ...changed,
})
const nameOf = (id: string) => id.toUpperCase()

// spec: dashboard/experiment
test('an experiment is called significant only when the report says it is decided, and else the page says why not', () => {
  const said = (changed: Partial<ExperimentReport>) => verdictOf(report(changed), nameOf, undefined)
  expect(said({})).toBe('Not significant yet (B 12.4 %, A 10.0 %): more data is needed.')
  expect(said({ p: 0.012, decided: true })).toBe('B is winning with 95 % confidence (B 12.4 %, A 10.0 %).')
  expect(said({ variants: [variant('a', 5_000, 0), variant('b', 5_000, 0)] })).toBe('Not significant yet: nobody has opened.')
  expect(said({ variants: [variant('a', 80, 8), variant('b', 5_000, 620)], p: 0.01 })).toMatch(
    /needs at least 500 users .* the smallest has 80\.$/,
  )
  expect(said({ sampleRatio: { p: null, ok: null } })).toMatch(/once all pushes to the test group are queued\.$/)
  // A small p decides nothing while the split is crooked.
  expect(said({ p: 0.001, sentRatio: { p: 0.0001, ok: false } })).toMatch(/^Inconclusive: the split does not match/)
})

test('how many users an experiment needs is said while it has fewer', () => {
  expect(neededText(report())).toMatch(/each variant needs about 14,000 users\.$/)
  expect(neededText(report({ needed: { usersPerVariant: 4_000 } }))).toBeUndefined()
  expect(neededText(report({ needed: { usersPerVariant: null } }))).toBeUndefined()
})

// spec: dashboard/experiment
test('the page says who picks the winner, when Herald looks and what happens at the end of its time', () => {
  const auto = { afterMinutes: 240, ifInconclusive: 'best' } as const
  expect(whenDecided(undefined, 5, true)).toBe('You pick the winner. It goes to the remaining audience.')
  expect(whenDecided(undefined, null, true)).toMatch(/^You can pick a winner once sending to the test group is complete/)
  expect(whenDecided(auto, null, false)).toMatch(/^Everybody got a variant/)
  expect(whenDecided(auto, null, true)).toMatch(
    /^Earliest decision: 1 hour after .* Latest: 4 hours; then the best-performing variant is sent\.$/,
  )
  expect(whenDecided(auto, 20, true)).toMatch(/^First check in 40 minutes\. .* the best-performing variant is sent in 220 minutes\.$/)
  expect(whenDecided(auto, 61, true)).toMatch(/^Checking every minute\. /)
  expect(whenDecided({ ...auto, ifInconclusive: 'none' }, 241, true)).toMatch(
    /^Test ended without a significant winner\. You can pick one yourself\.$/,
  )
})

// spec: dashboard/uplift
test('an uplift is called one only when its interval leaves out 0', () => {
  const uplift = (changed: Partial<Uplift>): Uplift => ({
    treated: { users: 9_000, converted: 300, rate: 0.0333 },
    control: { users: 1_000, converted: 25, rate: 0.025 },
    ...{ difference: 0.0083, low: -0.003, high: 0.017, upliftPercent: 33.3, final: false, ...changed },
  })
  expect(upliftVerdict(uplift({}))).toEqual({ is: 'unknown', text: 'Not significant yet: the difference may be chance.' })
  expect(upliftVerdict(uplift({ low: 0.001 })).text).toBe('Uplift over the control group: +0.8 points (+33.3 %).')
  expect(upliftVerdict(uplift({ difference: -0.01, low: -0.02, high: -0.001, upliftPercent: -20 })).text).toBe(
    'Uplift over the control group: −1.0 points (−20.0 %).',
  )
  expect(upliftVerdict(uplift({ control: { users: 0, converted: 0, rate: 0 } })).text).toMatch(/^The control group is empty/)
  expect([0.0001, -0.0001, 0.012].map(pointsText)).toEqual(['0.0 points', '0.0 points', '+1.2 points'])
})
