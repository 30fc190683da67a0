import { insertDay } from './store/partitions.ts'
import type { Db } from './store/tables.ts'

/** Makes sure that a day has its partitions; asks the database once per day and process. A day past the retention gets none. */
export type EnsureDay = (day: string) => Promise<void>

/**
 * What was there once is remembered: a day is dropped only when it is past the retention, and by then nothing is written to it any more.
 * That a day is past is not remembered, so nothing grows with what comes late.
 */
export function openDays(db: Db, retentionDays: number): EnsureDay {
  const known = new Map<string, Promise<boolean>>()
  return async (day) => {
    const made = known.get(day) ?? insertDay(db, day, retentionDays)
    known.set(day, made)
    const isThere = await made.catch((error: unknown) => {
      known.delete(day)
      throw error
    })
    if (!isThere) known.delete(day)
  }
}
