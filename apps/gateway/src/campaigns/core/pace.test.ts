import { expect, test } from 'vitest'
import { etaSeconds, expectedPushes, paceOf } from './pace.ts'

test('the pace of a send is its outcomes divided by the seconds in which they came, and 0 for fewer than two readings', () => {
  expect(paceOf([])).toBe(0)
  expect(paceOf([{ at: 5, settled: 100 }])).toBe(0)
  expect(
    paceOf([
      { at: 1_000, settled: 0 },
      { at: 2_000, settled: 900 },
      { at: 3_000, settled: 1_001 },
    ]),
  ).toBe(500.5)
})

test('the time left of a send is in whole seconds, 0 when no push waits, and unknown while no push gets an outcome', () => {
  expect(etaSeconds(1_001, 500)).toBe(3)
  expect(etaSeconds(0, 0)).toBe(0)
  expect(etaSeconds(10, 0)).toBeNull()
})

test('the pushes of a send under way are estimated from the share of devices looked at, and are never fewer than those queued', () => {
  expect(expectedPushes({ queued: 2_500, scanned: 10_000, devices: 60_000 })).toBe(15_000)
  expect(expectedPushes({ queued: 2_500, scanned: 10_000, devices: 9_000 })).toBe(2_500)
  expect(expectedPushes({ queued: 0, scanned: 0, devices: 60_000 })).toBeNull()
  expect(expectedPushes({ queued: 2_500, scanned: 10_000, devices: null })).toBeNull()
})
