import { flowChanged } from '@herald/contracts/calls/audience'
import type { FlowChange } from '@herald/contracts/campaign'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { pointAtPages } from '../point.ts'
import { wakeWaiting } from './store/bulk-window.ts'
import { findFanOut } from './store/fan-outs.ts'
import { estimateLeft, holdTurns, paceBatches } from './store/turns-of-sends.ts'
import { changeFanOutFlow, makeBatchesDue, noteUnbegun } from './store/flow.ts'

/**
 * Pauses, resumes or cancels a send, and changes its rate; the change with the highest number counts (spec: campaigns/flow-last-word). Answers whether
 * audience has begun the send. If not, it begins none that is paused or cancelled.
 */
export async function changeFlow(
  { poke, ...audience }: Audience & { poke: () => void },
  { campaignId, appId, ...change }: FlowChange & { campaignId: string; appId: string },
): Promise<{ known: boolean; left?: number | null }> {
  if (!(await applyFlow(audience, campaignId, change))) {
    if (await findFanOut(audience.db, campaignId)) return { known: true }
    if (change.flow === 'running') return { known: false }
    await noteUnbegun(audience.db, { campaignId, appId }, change)
    // The send may have begun before the row was there.
    if (!(await findFanOut(audience.db, campaignId))) return { known: false }
    await applyFlow(audience, campaignId, change)
  }
  poke()
  if (!change.perMinute) return { known: true }
  return { known: true, left: await estimateLeft(audience.db, { appId, campaignId }) }
}

/**
 * Applies a pause, resume or cancel, and broadcasts it to the dispatchers. A dispatcher that misses the broadcast sends what it has taken,
 * and audience gives it no further batch to send. Answers whether the change was new.
 */
export async function applyFlow(audience: Audience, campaignId: string, change: FlowChange): Promise<boolean> {
  const { db, bus } = audience
  const changed = await transact(db, async (trx) => {
    const send = await changeFanOutFlow(trx, campaignId, change)
    if (send && (send.perMinute !== null || change.perMinute !== undefined)) await holdTurns(trx, { appId: send.appId, campaignId })
    if (send && change.flow !== 'paused') await makeBatchesDue(trx, campaignId, change.flow)
    if (send && change.perMinute !== undefined && change.flow !== 'cancelled')
      await paceBatches(trx, { appId: send.appId, campaignId }, send.perMinute !== null)
    return send
  })
  if (!changed) return false
  bus.broadcast(flowChanged, { campaignId, flow: change.flow })
  // The batches of a paused send do not count in the app's bulk window, and a cancelled send makes no more pages: another large send of the
  // app may go on.
  await wakeFanOut(audience, changed.appId)
  return true
}

/**
 * Makes the fan-out that has waited longest for the app's bulk window (store/bulk-window.ts) go on with its next page, if the window has room now.
 */
export async function wakeFanOut(audience: Audience, appId: string): Promise<void> {
  await pointAtPages(audience, await wakeWaiting(audience, appId))
}
