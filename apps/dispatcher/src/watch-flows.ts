import { flowChanged } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'

/** Stops the batches in work when their campaign is paused or cancelled. */
export type Flows = {
  /** Watches a campaign until `release`. Called before a batch is taken. `stopped` is aborted when the campaign is paused or cancelled. */
  follow(campaignId: string): { stopped: AbortSignal; release(): void }
}

/**
 * Listens to broadcasts of campaigns that stop, which stop only batches in work. A process that misses one sends what it has taken, and no more:
 * audience decides about further batches. A resume needs nothing here.
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
