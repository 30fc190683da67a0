import { expect, test } from 'vitest'
import { etaSeconds, expectedPushes, paceOf } from './pace.ts'

test('a send’s pace is its outcomes divided by their seconds, and 0 for fewer than two readings', () => {
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

test('a send’s time left is in whole seconds, 0 without waiting pushes, unknown while none gets an outcome', () => {
  expect(etaSeconds(1_001, 500)).toBe(3)
  expect(etaSeconds(0, 0)).toBe(0)
  expect(etaSeconds(10, 0)).toBeNull()
})

test('a send’s pushes are estimated from the share of devices looked at, never fewer than those queued', () => {
  expect(expectedPushes({ queued: 2_500, scanned: 10_000, devices: 60_000 })).toBe(15_000)
  expect(expectedPushes({ queued: 2_500, scanned: 10_000, devices: 9_000 })).toBe(2_500)
  expect(expectedPushes({ queued: 0, scanned: 0, devices: 60_000 })).toBeNull()
  expect(expectedPushes({ queued: 2_500, scanned: 10_000, devices: null })).toBeNull()
})
