import { batchSize, promptLimit } from '@herald/contracts/batch'
import { platforms, type Lane, type Platform } from '@herald/contracts/platform'

/** The devices of a page that get a push, by platform: ids in order, and who owns each. */
export type PageDevices = Partial<Record<Platform, { subscriptionIds: string[]; userIds: string[] }>>

export type NewBatch = { platform: Platform; subscriptionIds: string[]; userIds: string[] }

/** Cuts a page into batches of at most 500 pushes of one platform, in the order of the devices' ids. */
export function cutIntoBatches(page: PageDevices): NewBatch[] {
  return platforms.flatMap((platform) => {
    const { subscriptionIds, userIds } = page[platform] ?? { subscriptionIds: [], userIds: [] }
    const count = Math.ceil(subscriptionIds.length / batchSize)
    return Array.from({ length: count }, (_, index) => ({
      platform,
      subscriptionIds: subscriptionIds.slice(index * batchSize, (index + 1) * batchSize),
      userIds: userIds.slice(index * batchSize, (index + 1) * batchSize),
    }))
  })
}

export const countByPlatform = (page: PageDevices): Record<Platform, number> => ({
  ios: page.ios?.subscriptionIds.length ?? 0,
  android: page.android?.subscriptionIds.length ?? 0,
  web: page.web?.subscriptionIds.length ?? 0,
})

/** The lane of a send, decided by its first page: small sends pass by large ones (architecture.md, path 3). */
export const laneOf = (firstPage: { isLast: boolean; devices: number }): Lane =>
  firstPage.isLast && firstPage.devices <= promptLimit ? 'prompt' : 'bulk'
