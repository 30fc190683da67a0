import { expect, test } from 'vitest'
import { countDeath, restartDelayMs } from './restart-delay.ts'

// spec: running/restarted
test('the wait before a restart begins at 0.2 s, doubles, and never passes 5 s', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 50].map(restartDelayMs)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
})

// spec: running/restarted
test('who lived 10 s begins anew, who died sooner waits longer', () => {
  expect(countDeath(5, 9_999)).toBe(6)
  expect(countDeath(5, 10_000)).toBe(1)
})
