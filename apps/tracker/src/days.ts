import { insertDay } from './store/partitions.ts'
import type { Db } from './store/tables.ts'

/**
 * Makes the partitions of a day unless they exist. Once they exist, the process does not ask the database again. A day past the retention gets none.
 */
export type EnsureDay = (day: string) => Promise<void>

/**
 * Gives the function that makes the partitions of a day. It remembers the days that have them: partitions are dropped only past the retention, when
 * nothing is written to their day. A day past the retention is not remembered.
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
