import type { Campaigns } from './campaigns.ts'
import { asSmallSend } from './core/frozen-send.ts'
import { publishDue } from './hand-over.ts'
import { readSends } from './read-send.ts'
import { nextDueInMs, startDueCampaigns, takeDueCampaigns } from './store/due.ts'

const atOnce = 200

/**
 * Takes what is due by the database's clock. Scheduled campaigns start. Audience is pointed at sends that it has not taken over: a send that
 * waited for its app's turn, a send whose pointer was lost, or all of them when the queue lost its store.
 */
export async function takeDue({
  db,
  bus,
  handOver,
  measures,
}: Pick<Campaigns, 'db' | 'bus' | 'handOver' | 'measures'>): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextDueInMs(db, ['scheduled', 'sending'])
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }

  const starts = await startDueCampaigns(db, atOnce)
  for (const { lateSeconds } of starts) measures.startedLate(lateSeconds)
  const due = await takeDueCampaigns(db, atOnce)
  // A small send that waited for its turn is handed over now. A send that was handed over before, and that audience never confirmed, is pointed at.
  const sends = await readSends(
    db,
    due.flatMap(({ id, pointerNo }) => (pointerNo === 1 ? [id] : [])),
  )
  const pointed = due.filter(({ id, pointerNo }) => {
    const found = sends.get(id)
    const small = found && asSmallSend(found.send, found.target)
    if (small) handOver(small, pointerNo)
    return !small
  })
  // A pointer that cannot be published is due again by itself.
  await Promise.allSettled(pointed.map(({ id, pointerNo, appId }) => publishDue(bus, id, pointerNo, appId)))
  return { took: starts.length + due.length }
}
