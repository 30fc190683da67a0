import { changeFlow } from '@herald/contracts/calls/audience'
import type { Campaigns } from './campaigns.ts'
import { flowOf } from './core/campaign.ts'
import type { Started } from './store/campaigns.ts'
import { nextFlowDueInMs } from './store/due.ts'
import { confirmFlow, markNeverStarted, takeDueFlows } from './store/flows.ts'

type Telling = Pick<Campaigns, 'db' | 'bus'>
const atOnce = 50

/**
 * Tells audience whether a send goes on. When audience has no row of a cancelled send, the campaign is cancelled at once. Audience may have
 * read that send a moment ago and make a row of it later: then it is told of the cancel in the answer to `fan-out-started`.
 */
export async function tellFlow({ db, bus }: Telling, change: Started): Promise<void> {
  const flow = flowOf(change)
  const { known } = await bus.call(changeFlow, { campaignId: change.id, flow, no: change.flowNo })
  if (!known && flow === 'cancelled') await markNeverStarted(db, change.id)
  else await confirmFlow(db, change.id, change.flowNo)
}

/** Repeats the changes that audience has not answered. A sweep calls it. */
export async function tellDueFlows(telling: Telling): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextFlowDueInMs(telling.db)
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }
  const due = await takeDueFlows(telling.db, atOnce)
  // A change that cannot be told now is due again by itself.
  await Promise.allSettled(due.map((change) => tellFlow(telling, change)))
  return { took: due.length }
}
