import { flowChanged, type FlowChange } from '@herald/contracts/calls/audience'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { pointAtPages } from '../point.ts'
import { wakeWaiting } from './store/bulk-window.ts'
import { findFanOut } from './store/fan-outs.ts'
import { changeFanOutFlow, makeBatchesDue } from './store/flow.ts'

/**
 * Pauses, resumes or cancels a send (spec: campaigns/flow-last-word). Changes are numbered, and the one with the highest number counts, in
 * whatever order they arrive. Answers whether audience has such a send (yet).
 */
export async function changeFlow(
  { poke, ...audience }: Audience & { poke: () => void },
  { campaignId, ...change }: FlowChange & { campaignId: string },
): Promise<{ known: boolean }> {
  if (!(await applyFlow(audience, campaignId, change))) return { known: (await findFanOut(audience.db, campaignId)) !== undefined }
  poke()
  return { known: true }
}

/**
 * Applies a change; answers whether it was new. Dispatchers are told by broadcast. A dispatcher that misses the broadcast learns of the change
 * when it takes the next batch.
 */
export async function applyFlow(audience: Audience, campaignId: string, change: FlowChange): Promise<boolean> {
  const { db, bus } = audience
  const changed = await transact(db, async (trx) => {
    const send = await changeFanOutFlow(trx, campaignId, change)
    if (send && change.flow !== 'paused') await makeBatchesDue(trx, campaignId, change.flow)
    return send
  })
  if (!changed) return false
  bus.broadcast(flowChanged, { campaignId, flow: change.flow })
  // A paused or cancelled send leaves its room in the app's bulk window to the other sends.
  await wakeFanOut(audience, changed.appId)
  return true
}

/** Lets the fan-out of an app that has waited longest for room in the bulk window cut its next page, if there is room now. */
export async function wakeFanOut(audience: Audience, appId: string): Promise<void> {
  await pointAtPages(audience, await wakeWaiting(audience.db, appId))
}
