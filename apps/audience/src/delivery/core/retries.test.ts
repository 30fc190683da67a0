import { newId } from '@herald/contracts/ids'
import type { FailureCode } from '@herald/contracts/outcome'
import { expect, test } from 'vitest'
import { groupRetries } from './retries.ts'

const batchId = newId()
const queuedAt = new Date('2026-01-01T00:00:00.000Z')
const retry = (retryInMs: number, tries = 1, code: FailureCode | null = null, providerCode = '') => ({
  ...{ place: 0, subscriptionId: newId(), userId: newId(), tries, retryInMs },
  ...{ code, providerCode },
})

test('what is to be tried in the same second is one batch, and nothing is tried early', () => {
  const batches = groupRetries({ batchId, takes: 1, retries: [retry(1_100), retry(1_900), retry(2_000)] }, queuedAt)

  expect(batches.map(({ subscriptionIds, inMs }) => [subscriptionIds.length, inMs])).toEqual([
    [2, 1_900],
    [1, 2_000],
  ])
})

test('unsent pushes keep their number of tries apart from tried ones', () => {
  const batches = groupRetries({ batchId, takes: 1, retries: [retry(0, 0), retry(0, 1), retry(0, 0)] }, queuedAt)

  expect(Object.fromEntries(batches.map(({ tries, subscriptionIds }) => [tries, subscriptionIds.length]))).toEqual({ 0: 2, 1: 1 })
})

test('each batch has one reason, so that it can be shown', () => {
  const retries = [retry(0, 1, 'timeout'), retry(0, 1, 'network_error', 'ECONNREFUSED'), retry(0, 1, 'timeout')]

  const batches = groupRetries({ batchId, takes: 1, retries }, queuedAt)

  expect(
    Object.fromEntries(batches.map(({ code, providerCode, subscriptionIds }) => [`${code} ${providerCode}`, subscriptionIds.length])),
  ).toEqual({
    'network_error ECONNREFUSED': 1,
    'timeout ': 2,
  })
})

test('the same finish makes the same batches, whatever the order', () => {
  const retries = [retry(1_100), retry(1_200)]
  const grouped = (takes: number, of = retries) => groupRetries({ batchId, takes, retries: of }, queuedAt)

  expect(grouped(2, retries.toReversed())).toEqual(grouped(2))
  expect(grouped(3)[0]?.id).not.toBe(grouped(2)[0]?.id)
})
