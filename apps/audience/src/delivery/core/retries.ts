import { createHash } from 'node:crypto'
import type { FinishBatch } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

/** `inMs`: from the moment it is inserted. `agoMs`: how long before it the first of the answers was heard. `code` and `providerCode`: why it comes back; null and empty: it was not tried. */
export type RetryBatch = {
  id: string
  places: number[]
  subscriptionIds: string[]
  userIds: string[]
  tries: number
  inMs: number
  agoMs: number
  code: FailureCode | null
  providerCode: string
}

/**
 * What a finished batch leaves to be tried again, as new batches: one per second of `retryInMs`, number of tries and reason, recipients in
 * the order of their ids. None is tried before its own time, so a batch waits for its latest. The id follows from the batch, the
 * take and these, so that the same finish can never make two; `queuedAt` is the batch's.
 */
export function groupRetries(
  { batchId, takes, retries }: Pick<FinishBatch, 'batchId' | 'takes' | 'retries'>,
  queuedAt: Date,
): RetryBatch[] {
  const inOrder = retries.toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1))
  const groups = Map.groupBy(
    inOrder,
    ({ retryInMs, tries, code, providerCode }) => `${Math.floor(retryInMs / 1000)}:${tries}:${code ?? ''}:${providerCode}`,
  )
  const batches = [...groups].map(([key, group]) => ({
    id: deterministicId(`${batchId}:${takes}:${key}`, queuedAt),
    places: group.map(({ place }) => place),
    subscriptionIds: group.map(({ subscriptionId }) => subscriptionId),
    userIds: group.map(({ userId }) => userId),
    tries: group[0]?.tries ?? 0,
    inMs: Math.max(...group.map(({ retryInMs }) => retryInMs)),
    agoMs: Math.max(...group.map(({ agoMs = 0 }) => agoMs)),
    code: group[0]?.code ?? null,
    providerCode: group[0]?.providerCode ?? '',
  }))
  return batches.toSorted((one, other) => one.inMs - other.inMs)
}

/** An id in the usual form (seconds, then 8 bytes) that follows from a text. It is never shown, so it may be guessable. */
export function deterministicId(text: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
  return seconds + createHash('sha256').update(text).digest('hex').slice(0, 16)
}
