import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { freshMs, openFreshness } from './freshness.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** The clock of the other process stands this far from ours, by the unknown difference of two monotonic clocks. */
const apart = 1_000_000
const answer = (isFresh: ReturnType<typeof openFreshness>, { after, late, by = 'one' }: { after: number; late: number; by?: string }) => {
  vi.advanceTimersByTime(after)
  return isFresh(by, performance.now() + apart - late)
}

test('the first three answers of a process are not fresh, and later ones are when they came as fast', () => {
  const isFresh = openFreshness()
  expect([3, 2, 3, 2, 30].map((late) => answer(isFresh, { after: 1_000, late }))).toEqual([false, false, false, true, true])
  expect(answer(isFresh, { after: 1_000, late: 2, by: 'another' })).toBe(false)
})

test('an answer that lay in a frozen process is old, and the next that came at once is fresh', () => {
  const isFresh = openFreshness()
  for (let n = 0; n < 3; n += 1) answer(isFresh, { after: 1_000, late: 2 })
  expect(answer(isFresh, { after: 1_000, late: freshMs + 10 })).toBe(false)
  expect(answer(isFresh, { after: 1_000, late: freshMs - 10 })).toBe(true)
})

test('clocks that drift apart for a day make no answer look fresh or old', () => {
  const isFresh = openFreshness()
  let drift = 0
  for (let n = 0; n < 86_400; n += 1) answer(isFresh, { after: 1_000, late: 2 + (drift += 0.1) })
  expect(answer(isFresh, { after: 1_000, late: 2 + drift + 30 })).toBe(true)
  expect(answer(isFresh, { after: 1_000, late: 2 + drift + freshMs + 10 })).toBe(false)
})
