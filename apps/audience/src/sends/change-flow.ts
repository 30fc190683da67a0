import { flowChanged, type FlowChange } from '@herald/contracts/calls/audience'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { pointAtPages } from '../delivery/point.ts'
import { findFanOut, wakeWaiting } from './store/fan-outs.ts'
import { changeFanOutFlow, makeBatchesDue } from './store/flow.ts'

/**
 * Pauses, resumes or cancels a send (spec: campaigns/flow-last-word). The last word counts, by its number, in whatever order they come. Answers
 * whether there is such a send here (yet).
 */
export async function changeFlow(
  { poke, ...audience }: Audience & { poke: () => void },
  { campaignId, ...change }: FlowChange & { campaignId: string },
): Promise<{ known: boolean }> {
  if (!(await applyFlow(audience, campaignId, change))) return { known: (await findFanOut(audience.db, campaignId)) !== undefined }
  poke()
  return { known: true }
}

/** Answers whether it was news. Dispatchers hear of it at once; what they missed they learn when they take the next batch. */
export async function applyFlow(audience: Audience, campaignId: string, change: FlowChange): Promise<boolean> {
  const { db, bus } = audience
  const row = await transact(db, async (trx) => {
    const changed = await changeFanOutFlow(trx, campaignId, change)
    if (changed && change.flow !== 'paused') await makeBatchesDue(trx, campaignId, change.flow)
    return changed
  })
  if (!row) return false
  bus.broadcast(flowChanged, { campaignId, flow: change.flow })
  // A paused or cancelled send leaves its room in the app's window to the others.
  await pointAtPages(audience, await wakeWaiting(db, row.app_id))
  return true
}
