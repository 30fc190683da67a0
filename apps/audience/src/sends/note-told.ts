import type { Log } from '@herald/service/log'
import type { Db } from '../store/tables.ts'
import type { FanOut } from './store/fan-outs.ts'
import { markManyTold } from './store/told.ts'

type Told = Pick<FanOut, 'campaignId' | 'page' | 'batches'>

/** A send to one device is settled within a fraction of this time. Its row says so, and nothing else needs to be written. */
const afterMs = 2_000
/** How many notes a process keeps, about 100 bytes each. Above it the notes are written at once. */
const mostNoted = 20_000

export type ToldNotes = {
  note(rows: Told[]): void
  /** Drops the notes of campaigns that are settled. */
  forget(campaignIds: string[]): void
  /** Writes the notes that are 2 s old, for a sweep; answers how many. */
  write(): Promise<number>
}

/**
 * Keeps notes of the fan-outs of which campaigns and tracker were told, for 2 s before they are written into the rows: most sends are settled
 * by then, which spares a write per send. Until then the row is due 5 s after it was made. If the process dies first, the sweep tells again
 * what was told, and the repeat changes nothing.
 */
export function openToldNotes(db: Db, log: Log, now: () => number = () => performance.now()): ToldNotes {
  /** In the order of their times. */
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
