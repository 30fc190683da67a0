import { expect, test } from 'vitest'
import { keepOneMore, keptByApns, keptByFcm, type Kept, type KeptAtMost } from './offline.ts'

function keptOf(keys: (string | undefined)[], atMost: KeptAtMost): number[] {
  let kept: readonly Kept[] = []
  for (const [seq, key] of keys.entries()) kept = keepOneMore(kept, { seq, key }, atMost)
  return kept.map(({ seq }) => seq)
}

test.each([
  ['a newer push replaces the one with the same key', ['a', 'b', 'a'], keptByFcm, [1, 2]],
  ['of five keys FCM keeps four', ['a', 'b', 'c', 'd', 'e'], keptByFcm, [1, 2, 3, 4]],
  ['pushes without a key replace nothing', ['a', undefined, undefined, 'a'], keptByFcm, [1, 2, 3]],
  ['APNs keeps the last push', ['a', 'b', 'c'], keptByApns, [2]],
])('%s', (_, keys, atMost, kept) => {
  expect(keptOf(keys, atMost)).toEqual(kept)
})

test('with one push without a key too many FCM has none of these left', () => {
  expect(keptOf(['a', ...Array<undefined>(100).fill(undefined)], keptByFcm)).toHaveLength(101)
  expect(keptOf(['a', ...Array<undefined>(101).fill(undefined)], keptByFcm)).toEqual([0])
})
