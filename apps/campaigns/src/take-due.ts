import type { Campaigns } from './campaigns.ts'
import { asSmallSend } from './core/frozen-send.ts'
import { orEachAlone } from './each-alone.ts'
import { publishDue } from './hand-over.ts'
import { readSends } from './read-send.ts'
import {
  findDueCampaigns,
  findDueStarts,
  nextRecurrenceDueInMs,
  nextSendDueInMs,
  startDueCampaigns,
  takeDueCampaigns,
} from './store/due.ts'

const atOnce = 200

/**
 * Starts due scheduled campaigns, by the database's clock, and tells audience of due sends that it has not started: new ones, those that waited
 * behind 64 others of their app, and those whose call or pointer may be lost.
 */
export async function takeDue({
  db,
  bus,
  handOver,
  measures,
  log,
}: Pick<Campaigns, 'db' | 'bus' | 'handOver' | 'measures' | 'log'>): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextSendDueInMs(db)
  // The run of a recurrence is due 1.5 s after its commit (`startLease`), perhaps in another process.
  if (dueInMs === undefined) return (await nextRecurrenceDueInMs(db)) === undefined ? { took: 0 } : { took: 0, nextInMs: 1_000 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }

  const failed = (campaignId: string, error: unknown) =>
    log.error({ campaignId, err: error }, 'a due campaign cannot be taken; it is tried again, and the others go on')
  const startings = await orEachAlone(
    (only) => startDueCampaigns(db, atOnce, only),
    () => findDueStarts(db, atOnce),
    failed,
  )
  const starts = startings.flat()
  for (const { lateSeconds } of starts) measures.startedLate(lateSeconds)
  const takings = await orEachAlone(
    (only) => takeDueCampaigns(db, atOnce, only),
    () => findDueCampaigns(db, atOnce),
    failed,
  )
  const due = takings.flat()
  // A small send that the sweep takes for the first time (its pointer number is 1) goes in a call. Audience gets a pointer to every other send.
  const sends = await readSends(
    { db, log },
    due.flatMap(({ id, pointerNo }) => (pointerNo === 1 ? [id] : [])),
  )
  const pointed = due.filter(({ id, pointerNo }) => {
    const found = sends.get(id)
    const small = found && asSmallSend(found.send, found.target)
    if (small) handOver(small, pointerNo)
    return !small
  })
  // A row is due again some seconds after it was taken. So the sweep repeats a pointer that cannot be published now.
  await Promise.allSettled(pointed.map(({ id, pointerNo, appId }) => publishDue(bus, id, pointerNo, appId)))
  return { took: starts.length + due.length }
}
