import { flowChanged } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'

/** Tells the batches in work when their campaign stops. */
export type Flows = {
  /** Follows a campaign until `release`. `stopped` is aborted when the campaign is paused or cancelled. To be called before its batch is taken. */
  follow(campaignId: string): { stopped: AbortSignal; release(): void }
}

/**
 * Listens to the broadcasts that say which campaigns stop. Only batches in work are stopped by them: audience decides whether another batch may be taken. So a
 * broadcast that is missed costs no more than the batches taken before it, and a campaign that runs again needs nothing here.
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
