import type { Log } from '@herald/service/log'
import { markManyTold } from './store/told.ts'
import type { Db, FanOut } from '../store/tables.ts'

type Told = Pick<FanOut, 'campaign_id' | 'page' | 'batches'>

/** A send to one device is settled within a fraction of this, and its row says so: then nothing else needs to be written. */
const afterMs = 2_000
/** ~100 bytes each. Above it what is told is written at once. */
const mostNoted = 20_000

export type ToldNotes = {
  note(rows: Told[]): void
  /** These are settled. */
  forget(campaignIds: string[]): void
  /** Writes down what was told 2 s ago, for a sweep; answers how many. */
  write(): Promise<number>
}

/**
 * Which fan-outs the others were told of, kept for 2 s before it is written into their rows: most are settled by then, which spares a
 * write per send. Until it is written the row is due, 5 s after it was made; a process that dies first leaves it to the sweep, which tells
 * again what was told, and a repeat changes nothing.
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
    for (const { campaign_id } of due) noted.delete(campaign_id)
    if (due.length > 0) await markManyTold(db, due)
    return due.length
  }
  return {
    note(rows) {
      for (const { campaign_id, page, batches } of rows) noted.set(campaign_id, { campaign_id, page, batches, at: now() })
      if (noted.size > mostNoted) writeBefore(now()).catch((error: unknown) => log.debug({ err: error }, 'what was told is told again'))
    },
    forget(campaignIds) {
      for (const campaignId of campaignIds) noted.delete(campaignId)
    },
    write: () => writeBefore(now() - afterMs),
  }
}
