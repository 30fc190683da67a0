import { createHash } from 'node:crypto'
import type { FinishBatch } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

export type RetryBatch = {
  id: string
  places: number[]
  subscriptionIds: string[]
  userIds: string[]
  tries: number
  /** How many milliseconds after its insert the batch may be taken. */
  inMs: number
  /** How many milliseconds before the insert the provider gave the earliest of the answers to these pushes. */
  agoMs: number
  /** Why the pushes are tried again; null, with an empty `providerCode`, when the dispatcher handed them back untried. */
  code: FailureCode | null
  providerCode: string
}

/**
 * Groups pushes into new batches of about the same `retryInMs` (`stepOf`), tries and reason. No push is tried early: a batch waits for its latest
 * push. Ids are hashes, so a repeated finish makes no second batch.
 */
export function groupRetries(
  { batchId, takes, retries }: Pick<FinishBatch, 'batchId' | 'takes' | 'retries'>,
  queuedAt: Date,
): RetryBatch[] {
  const inOrder = retries.toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1))
  const groups = Map.groupBy(
    inOrder,
    ({ retryInMs, tries, code, providerCode }) => `${Math.floor(retryInMs / stepOf(retryInMs))}:${tries}:${code ?? ''}:${providerCode}`,
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

/**
 * Gives the time within which waits count as equal: a second, and for half a minute or more about a sixteenth of the wait. Otherwise the random part
 * of long waits would make a batch of nearly every push.
 */
const stepOf = (ms: number): number => 1_000 * 2 ** Math.max(0, Math.floor(Math.log2(ms / 16_000)))

/** Makes an id of the usual form (seconds, then 8 bytes) from a hash of `text`. Such an id may be guessable, because knowing it gives no rights. */
export function deterministicId(text: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
  return seconds + createHash('sha256').update(text).digest('hex').slice(0, 16)
}
