import { changeFlow } from '@herald/contracts/calls/audience'
import type { Campaigns } from './campaigns.ts'
import { changeOf } from './core/campaign.ts'
import { orEachAlone } from './each-alone.ts'
import type { Started } from './store/campaigns.ts'
import { nextFlowDueInMs } from './store/due.ts'
import { confirmFlow, findDueFlows, markNeverStarted, takeDueFlows } from './store/flows.ts'

type Telling = Pick<Campaigns, 'db' | 'bus'>
const atOnce = 50

/**
 * Tells audience whether a send goes on, is paused or is cancelled. A cancelled send without a fan-out row ends at once; if audience makes the row
 * later, the answer to `fan-out-started` tells it. `left`: as audience answers it.
 */
export async function tellFlow({ db, bus }: Telling, change: Started): Promise<{ left: number | null }> {
  const { flow, ...rest } = changeOf(change)
  const { known, left = null } = await bus.call(changeFlow, { campaignId: change.id, appId: change.appId, flow, ...rest })
  if (!known && flow === 'cancelled') await markNeverStarted(db, change.id)
  else await confirmFlow(db, change.id, change.flowNo)
  return { left }
}

/** Tells audience again of changes of flow that it has not answered, when they are due, at most 50 at once. */
export async function tellDueFlows({ log, ...telling }: Telling & Pick<Campaigns, 'log'>): Promise<{ took: number; nextInMs?: number }> {
  const { db } = telling
  const dueInMs = await nextFlowDueInMs(db)
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }
  const takings = await orEachAlone(
    (only) => takeDueFlows(db, atOnce, only),
    () => findDueFlows(db, atOnce),
    (campaignId, error) =>
      log.error({ campaignId, err: error }, 'a change of flow cannot be taken; it is tried again, and the others go on'),
  )
  const due = takings.flat()
  // When audience does not answer a change, the row of that campaign is due again in 5 s.
  await Promise.allSettled(due.map((change) => tellFlow(telling, change)))
  return { took: due.length }
}
