import { changeFlow } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'
import { flowOf } from './core/campaign.ts'
import type { Started } from './store/campaigns.ts'
import { nextFlowDueInMs } from './store/due.ts'
import { confirmFlow, markNeverStarted, takeDueFlows } from './store/flows.ts'
import type { Db } from './store/tables.ts'

type Telling = { db: Db; bus: Pick<Bus, 'call'> }
const atOnce = 50

/**
 * Tells audience whether a send goes on. A cancelled one that audience has no row of is cancelled here and now: what it has read of the
 * send meanwhile ends when it says that it has started.
 */
export async function tellFlow({ db, bus }: Telling, change: Started): Promise<void> {
  const flow = flowOf(change)
  const { known } = await bus.call(changeFlow, { campaignId: change.id, flow, no: change.flow_no })
  if (!known && flow === 'cancelled') await markNeverStarted(db, change.id)
  else await confirmFlow(db, change.id, change.flow_no)
}

/** Tells again what audience has not answered, for a sweep. */
export async function tellDueFlows(telling: Telling): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextFlowDueInMs(telling.db)
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }
  const due = await takeDueFlows(telling.db, atOnce)
  // One that fails now is due again by itself.
  await Promise.allSettled(due.map((change) => tellFlow(telling, change)))
  return { took: due.length }
}
