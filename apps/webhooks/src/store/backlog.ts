import { sql } from 'kysely'
import { waitingOf, type Reading, type Totals } from '../core/reading.ts'
import type { Db } from './tables.ts'

/**
 * Gives how much waits. `waiting`: events in no batch yet, once for each endpoint that will get them. `oldestDueSeconds`: for how long the oldest
 * delivery to an enabled endpoint has been due; 0 when none is.
 */
export async function findBacklog(db: Db): Promise<{ waiting: number; oldestDueSeconds: number }> {
  const { rows: readers } = await sql<{ head: number; totals: Totals; readings: Reading[] }>`
    select l.head, l.totals, q.readings from logs l join endpoints e on e.app_id = l.app_id join queues q on q.endpoint_id = e.id
    where e.deleted_at is null and exists (select from events where app_id = l.app_id offset 0)`.execute(db)
  const { rows } = await sql<{ oldestDueSeconds: number }>`
    select greatest(0, coalesce(extract(epoch from now() - min(first.due_at)), 0))::float8 as "oldestDueSeconds"
    from endpoints e cross join lateral (select min(due_at) as due_at from deliveries where endpoint_id = e.id and due_at is not null) first
    where e.deleted_at is null and e.enabled`.execute(db)
  return {
    waiting: readers.reduce((sum, { readings, ...log }) => sum + waitingOf(readings, log).count, 0),
    oldestDueSeconds: rows[0]?.oldestDueSeconds ?? 0,
  }
}
