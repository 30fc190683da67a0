import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { groupRetries } from './retries.ts'

const batchId = newId()
const retry = (retryAt: string, tries = 1) => ({ subscriptionId: newId(), userId: newId(), tries, retryAt })

test('what is to be tried in the same second is one batch, and nothing is tried early', () => {
  const retries = [retry('2026-01-01T00:00:01.100Z'), retry('2026-01-01T00:00:01.900Z'), retry('2026-01-01T00:00:02.000Z')]

  const batches = groupRetries({ batchId, takes: 1, retries })

  expect(batches.map(({ subscriptionIds, notBefore }) => [subscriptionIds.length, notBefore.toISOString()])).toEqual([
    [2, '2026-01-01T00:00:01.900Z'],
    [1, '2026-01-01T00:00:02.000Z'],
  ])
})

test('unsent pushes keep their number of tries apart from tried ones', () => {
  const at = '2026-01-01T00:00:01.000Z'

  const batches = groupRetries({ batchId, takes: 1, retries: [retry(at, 0), retry(at, 1), retry(at, 0)] })

  expect(Object.fromEntries(batches.map(({ tries, subscriptionIds }) => [tries, subscriptionIds.length]))).toEqual({ 0: 2, 1: 1 })
})

test('the same finish makes the same batches, whatever the order', () => {
  const retries = [retry('2026-01-01T00:00:01.100Z'), retry('2026-01-01T00:00:01.200Z')]

  expect(groupRetries({ batchId, takes: 2, retries: retries.toReversed() })).toEqual(groupRetries({ batchId, takes: 2, retries }))
  expect(groupRetries({ batchId, takes: 3, retries })[0]?.id).not.toBe(groupRetries({ batchId, takes: 2, retries })[0]?.id)
})
