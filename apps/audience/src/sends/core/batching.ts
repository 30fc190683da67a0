import { batchSize, pageSize, promptLimit, type Decided } from '@herald/contracts/batch'
import { perPlatform, platforms, type Lane, type Platform } from '@herald/contracts/platform'
import type { Queued } from './queueing.ts'

/** A batch of a page. `decided`: the outcomes of its pushes when all of them are skipped; null when all are to be sent. */
export type NewBatch = { platform: Platform; subscriptionIds: string[]; userIds: string[]; decided: Decided[] | null }

/**
 * Divides a page into batches of at most `size` pushes of one platform, in the order given. Skipped pushes get separate batches, of at most 500.
 */
export function cutIntoBatches(page: readonly Queued[], size = batchSize): NewBatch[] {
  return platforms.flatMap((platform) => {
    const pushes = page.filter((push) => push.platform === platform)
    return [
      ...slices(
        pushes.filter(({ skip }) => !skip),
        size,
      ),
      ...slices(
        pushes.filter(({ skip }) => skip),
        batchSize,
      ),
    ].map((batch) => ({
      platform,
      subscriptionIds: batch.map(({ subscriptionId }) => subscriptionId),
      userIds: batch.map(({ userId }) => userId),
      decided: decide(batch),
    }))
  })
}

const slices = (pushes: Queued[], size: number): Queued[][] =>
  Array.from({ length: Math.ceil(pushes.length / size) }, (_, index) => pushes.slice(index * size, (index + 1) * size))

function decide(batch: Queued[]): Decided[] | null {
  const decided = batch.flatMap(({ subscriptionId, userId, skip }, place): Decided[] =>
    skip ? [{ place, subscriptionId, userId, tokenVersion: 0, attempts: 0, outcome: 'skipped', code: skip }] : [],
  )
  return decided.length > 0 ? decided : null
}

/**
 * A page gives at most this many batches of one platform: as many full ones as its devices fill, and one more, because skipped pushes get batches of
 * their own and so two may be not full.
 */
export const mostBatchesOfPage = pageSize / batchSize + 1

/** Gives the largest number of batches that this many pushes of one platform may need (see `mostBatchesOfPage`). */
export const mostBatches = (pushes: number): number => (pushes === 0 ? 0 : Math.ceil(pushes / batchSize) + 1)

export const countByPlatform = (page: readonly Queued[]): Record<Platform, number> => {
  const counts = perPlatform(() => 0)
  for (const { platform } of page) counts[platform] += 1
  return counts
}

/** Gives the lane of a send or of a wave, which its first page decides: a small send must not wait behind large ones (spec: sending/lanes). */
export const laneOf = (firstPage: { isLast: boolean; devices: number }): Lane =>
  firstPage.isLast && firstPage.devices <= promptLimit ? 'prompt' : 'bulk'
