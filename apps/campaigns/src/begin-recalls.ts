import { dropFromInboxes } from '@herald/contracts/calls/tracker'
import type { Campaigns } from './campaigns.ts'
import { findDueRecalls, markBegun } from './store/recalls.ts'

const atOnce = 50
/** A follow-up that waits is looked at each second: what it waits for is the last outcome of its campaign. */
const lookAgainMs = 1_000

/**
 * Begins the follow-ups of recalls whose campaigns have settled, each once: the update of its row lets one process through. A dismissed campaign leaves
 * the inboxes before (spec: recall/inbox).
 */
export async function beginRecalls({
  db,
  bus,
  log,
  pointAt,
}: Pick<Campaigns, 'db' | 'bus' | 'log' | 'pointAt'>): Promise<{ took: number; nextInMs?: number }> {
  const { due, someWait } = await findDueRecalls(db, atOnce)
  const begun = await Promise.all(
    due.map(async ({ id, appId, of, leavesInboxes }) => {
      try {
        if (leavesInboxes) await bus.call(dropFromInboxes, { appId, campaignId: of })
        if (!(await markBegun(db, id))) return false
        pointAt(id)
        return true
      } catch (error) {
        log.warn({ campaignId: id, err: error }, 'a recall could not be begun; it is tried again in a second')
        return false
      }
    }),
  )
  const took = begun.filter(Boolean).length
  return someWait || took < due.length ? { took, nextInMs: lookAgainMs } : { took }
}
