import { startSends, type FrozenSmallSend } from '@herald/contracts/calls/audience'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { fanOutWork } from '@herald/contracts/topology'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'

/**
 * At most this many small sends go to audience in one call. The number keeps a call small enough for a message: a send has a few kilobytes as a rule,
 * and about 100 KB at most.
 */
const sendsPerCall = 25
const callsAtOnce = 4

/**
 * Gives small sends to audience, many in one call, from all apps in turn; one at once while no call is under way. When a call fails, a stored pointer
 * replaces it. `refused`: audience has refused this send alone.
 */
export function openHandOver(
  bus: Pick<Bus, 'call' | 'publish'>,
  refused: (campaignId: string) => Promise<unknown>,
): (small: FrozenSmallSend, pointerNo: number) => Promise<void> {
  const handOver = group(
    async (sends: FrozenSmallSend[]) => {
      await bus.call(startSends, { sends })
      return sends.map(() => undefined)
    },
    {
      limit: sendsPerCall,
      atOnce: callsAtOnce,
      maxWaiting: 2_000,
      full: queueUnavailable,
      isShared: isAway,
      appOf: ({ send }) => send.appId,
    },
  )
  return (small, pointerNo) => {
    const { campaignId, appId } = small.send
    return handOver(small).catch(async (error: unknown) => {
      await publishDue(bus, campaignId, pointerNo, appId)
      if (!isAway(error)) await refused(campaignId)
    })
  }
}

const isAway = (error: unknown): boolean => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable')

/**
 * Sends audience a pointer to a due campaign. The message's id has the row's pointer number, because the queue drops an id that it has had within two
 * minutes.
 */
export const publishDue = (bus: Pick<Bus, 'publish'>, campaignId: string, pointerNo: number, appId?: string): Promise<void> =>
  bus.publish(fanOutWork.subject, { campaignId, page: 0, ...(appId === undefined ? {} : { appId }) }, `${campaignId}.${pointerNo}`)
