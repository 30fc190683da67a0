import type { Bus } from '@herald/service/bus'
import { publishDue } from './publish-due.ts'
import { nextDueInMs, startDueCampaigns, takeDueCampaigns } from './store/due.ts'
import type { Db } from './store/tables.ts'

const atOnce = 200

/**
 * What is due by the database's clock: scheduled campaigns start, and what audience has not taken over is pointed at: it waited for its
 * app's turn, or its pointer was lost, or the queue's store was.
 */
export async function takeDue({
  db,
  bus,
  startedLate,
}: {
  db: Db
  bus: Pick<Bus, 'publish'>
  startedLate: (seconds: number) => void
}): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextDueInMs(db, ['scheduled', 'sending'])
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }

  const starts = await startDueCampaigns(db, atOnce)
  for (const { late_seconds } of starts) startedLate(late_seconds)
  const due = await takeDueCampaigns(db, atOnce)
  // One that fails now is due again by itself.
  await Promise.allSettled(due.map(({ id, pointer_no, app_id }) => publishDue(bus, id, pointer_no, app_id)))
  return { took: starts.length + due.length }
}
