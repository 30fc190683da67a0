import { startSends, type FrozenSmallSend } from '@herald/contracts/calls/audience'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { publishDue } from './publish-due.ts'

/** Sends handed over in one call: each is a few kilobytes as a rule, and about 100 KB at most. */
const sendsPerCall = 25
const callsAtOnce = 4

/**
 * Hands small sends over to audience, in company and by turns of apps: what waits for it goes along in its next call, and nobody waits for
 * company. Where audience does not answer, a stored pointer takes the call's place, so that the send goes on as soon as audience is back.
 */
export function openHandOver(bus: Pick<Bus, 'call' | 'publish'>): (small: FrozenSmallSend, pointerNo: number) => Promise<void> {
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
      isShared: (error) => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable'),
      turn: ({ send }) => send.appId,
    },
  )
  return (small, pointerNo) => {
    const { campaignId, appId } = small.send
    return handOver(small).catch(() => publishDue(bus, campaignId, pointerNo, appId))
  }
}
