import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** For how many seconds the oldest of each queue is due already; 0 when nothing is. */
export async function findDueAges(db: Db): Promise<{ queue: 'announcements' | 'settlements'; seconds: number }[]> {
  const { rows } = await sql<{ queue: 'announcements' | 'settlements'; seconds: number }>`
    select queue, greatest(0, coalesce(extract(epoch from now() - due_at), 0))::float8 as seconds from (
      select 'announcements' as queue, min(due_at) as due_at from announcements
      union all select 'settlements', min(due_at) from settlements
    ) oldest`.execute(db)
  return rows
}
