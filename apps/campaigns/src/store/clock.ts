import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** The database's time, the one clock of schedules. */
export async function readClock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  const [clock] = rows
  if (!clock) throw new Error('a select of one row answered none')
  return clock.now
}
