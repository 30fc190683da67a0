import { flowChanged } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'

/** Whether the sends that this process plays out go on. */
export type Flows = {
  /** Follows a campaign until `release`: `stopped` is aborted when it is paused or cancelled. To be called before its batch is taken. */
  follow(campaignId: string): { stopped: AbortSignal; release(): void }
}

/**
 * Hears which sends stop. Only what is in work stops: whether a batch may be taken is audience's to say, so a broadcast that
 * is missed costs the batches taken before it, and a send that runs again needs nothing.
 */
export function watchFlows(bus: Bus): Flows {
  const following = new Map<string, Set<AbortController>>()

  bus.listen(flowChanged, ({ campaignId, flow }) => {
    if (flow !== 'running') for (const follower of following.get(campaignId) ?? []) follower.abort()
  })
  return {
    follow(campaignId) {
      const controller = new AbortController()
      const followers = following.get(campaignId) ?? new Set()
      following.set(campaignId, followers.add(controller))
      return {
        stopped: controller.signal,
        release() {
          followers.delete(controller)
          if (followers.size === 0 && following.get(campaignId) === followers) following.delete(campaignId)
        },
      }
    },
  }
}
