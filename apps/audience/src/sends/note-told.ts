import type { Log } from '@herald/service/log'
import type { Db } from '../store/tables.ts'
import type { FanOut } from './store/fan-outs.ts'
import { markManyTold } from './store/told.ts'

type Told = Pick<FanOut, 'campaignId' | 'page' | 'batches'>

/**
 * A note is written to the fan-out's row only after this time. Most sends to one device are settled much sooner, and a settled send needs no note.
 */
const afterMs = 2_000
/** At most this many notes wait in a process; they take about 100 bytes each, 2 MB in all. When there are more, all of them are written at once. */
const mostNoted = 20_000

export type ToldNotes = {
  note(rows: Told[]): void
  /** Drops the notes of campaigns that are settled. */
  forget(campaignIds: string[]): void
  /** Writes the notes that are older than 2 s; a sweep calls it. Answers how many notes it wrote. */
  write(): Promise<number>
}

/**
 * Remembers fan-outs of which campaigns and the tracker know everything, and writes that into their rows 2 s later: most are settled by then and need
 * no write. After a crash the sweep tells it again.
 */
export function openToldNotes(db: Db, log: Log, now: () => number = () => performance.now()): ToldNotes {
  const noted = new Map<string, Told & { at: number }>()
  const writeBefore = async (until: number): Promise<number> => {
    const due: Told[] = []
    for (const one of noted.values()) {
      if (one.at > until) break
      due.push(one)
    }
    for (const { campaignId } of due) noted.delete(campaignId)
    if (due.length > 0) await markManyTold(db, due)
    return due.length
  }
  return {
    note(rows) {
      for (const { campaignId, page, batches } of rows) noted.set(campaignId, { campaignId, page, batches, at: now() })
      if (noted.size > mostNoted)
        writeBefore(now()).catch((error: unknown) => log.debug({ err: error }, 'notes of what was told are lost, the sweep tells it again'))
    },
    forget(campaignIds) {
      for (const campaignId of campaignIds) noted.delete(campaignId)
    },
    write: () => writeBefore(now() - afterMs),
  }
}
