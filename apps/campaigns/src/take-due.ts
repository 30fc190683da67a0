import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'
import { asSmallSend } from './core/frozen-send.ts'
import { publishDue } from './publish-due.ts'
import { readSends } from './read-send.ts'
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
  handOver,
  startedLate,
}: {
  db: Db
  bus: Pick<Bus, 'publish'>
  /** Without waiting for it. */
  handOver: (small: FrozenSmallSend, pointerNo: number) => void
  startedLate: (seconds: number) => void
}): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextDueInMs(db, ['scheduled', 'sending'])
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }

  const starts = await startDueCampaigns(db, atOnce)
  for (const { late_seconds } of starts) startedLate(late_seconds)
  const due = await takeDueCampaigns(db, atOnce)
  // What waited for its turn is handed over like any other. What was handed over before, and was not heard of, is pointed at.
  const sends = await readSends(
    db,
    due.flatMap(({ id, pointer_no }) => (pointer_no === 1 ? [id] : [])),
  )
  const pointed = due.filter(({ id, pointer_no }) => {
    const found = sends.get(id)
    const small = found && asSmallSend(found.send, found.target)
    if (small) handOver(small, pointer_no)
    return !small
  })
  // One that fails now is due again by itself.
  await Promise.allSettled(pointed.map(({ id, pointer_no, app_id }) => publishDue(bus, id, pointer_no, app_id)))
  return { took: starts.length + due.length }
}
