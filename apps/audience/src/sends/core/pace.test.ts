import fc from 'fast-check'
import { expect, test } from 'vitest'
import { giveTurns, lateMs, pacedBatch, pacedPage } from './pace.ts'

test('a batch holds half a second’s pushes, 1 to 500, and a page 20 seconds’, at most 5,000', () => {
  expect([60, 119, 120, 600, 60_000, 6_000_000].map(pacedBatch)).toEqual([1, 1, 1, 5, 500, 500])
  expect([60, 600, 15_000, 6_000_000].map(pacedPage)).toEqual([20, 200, 5_000, 5_000])
})

/** Plays takers that come late by `lateBy` each, and gives when each batch was taken. The row of a send's turn is `next`. */
function play(perMinute: number, lateBy: readonly number[], seconds: number): { at: number; size: number }[] {
  const size = pacedBatch(perMinute)
  const taken: { at: number; size: number }[] = []
  let next = 0
  for (let n = 0; next < seconds * 1_000; n += 1) {
    const at = next + (lateBy[n % lateBy.length] ?? 0)
    const { now } = giveTurns([{ batchId: `${n}`, campaignId: 'c', size, perMinute, aheadMs: next - at }])
    if (now.length === 0) throw new Error('a batch that is late has no turn')
    taken.push({ at, size })
    next = Math.max(next, at - lateMs) + (size / perMinute) * 60_000
  }
  return taken
}

// spec: sending/rate
test('no minute takes more than the rate and one second; takers within 0.4 s lose nothing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 100_000 }),
      fc.array(fc.oneof(fc.integer({ min: 0, max: lateMs }), fc.constant(5_000)), { minLength: 1, maxLength: 20 }),
      (perMinute, lateBy) => {
        const taken = play(perMinute, lateBy, 130)
        let most = 0
        for (let [first, sum, last] = [0, 0, 0]; last < taken.length; last += 1) {
          sum += taken[last]!.size
          while (taken[last]!.at - taken[first]!.at > 60_000) sum -= taken[first++]!.size
          most = Math.max(most, sum)
        }
        expect(most).toBeLessThanOrEqual(perMinute + Math.max(1, perMinute / 60) + 1e-6)
        const inTwoMinutes = taken.filter(({ at }) => at <= 120_000).reduce((sum, { size }) => sum + size, 0)
        const isInTime = lateBy.every((ms) => ms <= lateMs)
        expect(inTwoMinutes).toBeGreaterThanOrEqual(isInTime ? 2 * perMinute * 0.99 - pacedBatch(perMinute) : 0)
      },
    ),
    { numRuns: 60 },
  )
})

test('of batches that ask at once each send’s first gets the turn; without a rate none needs one', () => {
  const one = (batchId: string, campaignId: string, perMinute: number | null, aheadMs = -10) => ({
    batchId,
    campaignId,
    size: 5,
    perMinute,
    aheadMs,
  })
  const { now, later } = giveTurns([
    one('1', 'a', 600),
    one('2', 'a', 600),
    one('3', 'b', 600),
    one('4', 'c', null, 9_000),
    one('5', 'd', 600, 20),
  ])
  expect(now.map(({ batchId }) => batchId)).toEqual(['1', '3', '4'])
  expect([...later]).toEqual(['a', 'd'])
})
