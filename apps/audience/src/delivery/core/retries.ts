import { createHash } from 'node:crypto'
import type { FinishBatch } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

/** A batch of pushes that are to be tried again. */
export type RetryBatch = {
  id: string
  places: number[]
  subscriptionIds: string[]
  userIds: string[]
  tries: number
  /** When it may be taken, counted from its insert. */
  inMs: number
  /** How long before its insert the first of the provider's answers came. */
  agoMs: number
  /** Why its pushes come back; null, with an empty `providerCode`, when they were not tried. */
  code: FailureCode | null
  providerCode: string
}

/**
 * Groups the pushes of a finished batch that are to be tried again into new batches: one for each second of `retryInMs`, number of tries and
 * reason, with the devices in the order of their ids. No push is tried before its time, so a batch waits for its latest push. The id of a
 * batch follows from the finished batch, the take and the group, so that the same finish never makes two.
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

/** Makes an id of the usual form (seconds, then 8 bytes) that follows from a text. It is never shown, so it may be guessable. */
export function deterministicId(text: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
  return seconds + createHash('sha256').update(text).digest('hex').slice(0, 16)
}
