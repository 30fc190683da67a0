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

test('pushes to be tried again in the same second become one batch, which waits for the latest', () => {
  const batches = groupRetries({ batchId, takes: 1, retries: [retry(1_100), retry(1_900), retry(2_000)] }, queuedAt)

  expect(batches.map(({ subscriptionIds, inMs }) => [subscriptionIds.length, inMs])).toEqual([
    [2, 1_900],
    [1, 2_000],
  ])
})

test('pushes that were handed back untried become another batch than tried ones, and keep their number of tries', () => {
  const batches = groupRetries({ batchId, takes: 1, retries: [retry(0, 0), retry(0, 1), retry(0, 0)] }, queuedAt)

  expect(Object.fromEntries(batches.map(({ tries, subscriptionIds }) => [tries, subscriptionIds.length]))).toEqual({ 0: 2, 1: 1 })
})

test('all pushes of a batch of retries are tried again for one reason, which Herald can show', () => {
  const retries = [retry(0, 1, 'timeout'), retry(0, 1, 'network_error', 'ECONNREFUSED'), retry(0, 1, 'timeout')]

  const batches = groupRetries({ batchId, takes: 1, retries }, queuedAt)

  expect(
    Object.fromEntries(batches.map(({ code, providerCode, subscriptionIds }) => [`${code} ${providerCode}`, subscriptionIds.length])),
  ).toEqual({
    'network_error ECONNREFUSED': 1,
    'timeout ': 2,
  })
})

test('when a batch is finished twice, both times give the same batches of retries, whatever the order of the pushes', () => {
  const retries = [retry(1_100), retry(1_200)]
  const grouped = (takes: number, of = retries) => groupRetries({ batchId, takes, retries: of }, queuedAt)

  expect(grouped(2, retries.toReversed())).toEqual(grouped(2))
  expect(grouped(3)[0]?.id).not.toBe(grouped(2)[0]?.id)
})
