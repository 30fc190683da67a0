import { createHash } from 'node:crypto'
import type { FinishBatch } from '@herald/contracts/batch'

export type RetryBatch = { id: string; subscriptionIds: string[]; userIds: string[]; tries: number; notBefore: Date }

/**
 * What a finished batch leaves to be tried again, as new batches: one per second of `retryAt` and number of tries, recipients in
 * the order of their ids. None is tried before its own time, so a batch waits for its latest. The id follows from the batch, the
 * take and the second, so that the same finish can never make two.
 */
export function groupRetries({ batchId, takes, retries }: Pick<FinishBatch, 'batchId' | 'takes' | 'retries'>): RetryBatch[] {
  const groups = new Map<string, FinishBatch['retries']>()
  for (const retry of retries.toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1))) {
    const key = `${Math.floor(Date.parse(retry.retryAt) / 1000)}:${retry.tries}`
    const group = groups.get(key)
    if (group) group.push(retry)
    else groups.set(key, [retry])
  }
  const batches = [...groups].map(([key, group]) => {
    const notBefore = new Date(Math.max(...group.map(({ retryAt }) => Date.parse(retryAt))))
    return {
      id: deterministicId(`${batchId}:${takes}:${key}`, notBefore),
      subscriptionIds: group.map(({ subscriptionId }) => subscriptionId),
      userIds: group.map(({ userId }) => userId),
      tries: group[0]?.tries ?? 0,
      notBefore,
    }
  })
  return batches.toSorted((one, other) => one.notBefore.getTime() - other.notBefore.getTime())
}

/** An id in the usual form (seconds, then 8 bytes) that follows from a text. It is never shown, so it may be guessable. */
export function deterministicId(text: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
  return seconds + createHash('sha256').update(text).digest('hex').slice(0, 16)
}
