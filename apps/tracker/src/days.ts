import { insertDay } from './store/partitions.ts'
import type { Db } from './store/tables.ts'

/** Makes sure that a day has its partitions; asks the database once per day and process. */
export type EnsureDay = (day: string) => Promise<void>

/** A day's partitions are only ever dropped months later, so what was there once is remembered. */
export function openDays(db: Db): EnsureDay {
  const known = new Map<string, Promise<void>>()
  return (day) => {
    const made = known.get(day) ?? insertDay(db, day)
    known.set(day, made)
    made.catch(() => known.delete(day))
    return made
  }
}
