import { batchSize, pageSize, promptLimit, type Decided } from '@herald/contracts/batch'
import { platforms, type Lane, type Platform } from '@herald/contracts/platform'
import type { Queued } from './queueing.ts'

/** `decided`: every push of it ends at once. Null: none does. */
export type NewBatch = { platform: Platform; subscriptionIds: string[]; userIds: string[]; decided: Decided[] | null }

/** Cuts a page into batches of at most 500 pushes of one platform, in the order given; what is skipped apart from what is sent. */
export function cutIntoBatches(page: readonly Queued[]): NewBatch[] {
  return platforms.flatMap((platform) => {
    const pushes = page.filter((push) => push.platform === platform)
    return [...slices(pushes.filter(({ skip }) => !skip)), ...slices(pushes.filter(({ skip }) => skip))].map((batch) => ({
      platform,
      subscriptionIds: batch.map(({ subscriptionId }) => subscriptionId),
      userIds: batch.map(({ userId }) => userId),
      decided: decide(batch),
    }))
  })
}

const slices = (pushes: Queued[]): Queued[][] =>
  Array.from({ length: Math.ceil(pushes.length / batchSize) }, (_, index) => pushes.slice(index * batchSize, (index + 1) * batchSize))

function decide(batch: Queued[]): Decided[] | null {
  const decided = batch.flatMap(({ subscriptionId, userId, skip }, place): Decided[] =>
    skip ? [{ place, subscriptionId, userId, tokenVersion: 0, attempts: 0, outcome: 'skipped', code: skip }] : [],
  )
  return decided.length > 0 ? decided : null
}

/** The most batches of a platform that a page makes: whatever is skipped may leave two that are not full. */
export const mostBatchesOfPage = pageSize / batchSize + 1

/** How many batches of a platform so many pushes make at most. */
export const mostBatches = (pushes: number): number => (pushes === 0 ? 0 : Math.ceil(pushes / batchSize) + 1)

export const countByPlatform = (page: readonly Queued[]): Record<Platform, number> => {
  const counts = { ios: 0, android: 0, web: 0 }
  for (const { platform } of page) counts[platform] += 1
  return counts
}

/** The lane of a send or of a wave, decided by its first page: small ones pass by large ones (spec: sending/lanes). */
export const laneOf = (firstPage: { isLast: boolean; devices: number }): Lane =>
  firstPage.isLast && firstPage.devices <= promptLimit ? 'prompt' : 'bulk'
