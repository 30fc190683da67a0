import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** How many events wait for their batch, and for how many seconds the oldest delivery to an open endpoint has been due; 0 when none is. */
export async function findBacklog(db: Db): Promise<{ waiting: number; oldestDueSeconds: number } | undefined> {
  const { rows } = await sql<{ waiting: number; oldestDueSeconds: number }>`
    select coalesce(sum(q.waiting), 0)::int as waiting,
      greatest(0, coalesce(extract(epoch from now() - min(first.due_at) filter (where e.enabled)), 0))::float8 as "oldestDueSeconds"
    from endpoints e
      join queues q on q.endpoint_id = e.id
      left join lateral (select min(due_at) as due_at from deliveries where endpoint_id = e.id and due_at is not null) first on e.enabled
    where e.deleted_at is null`.execute(db)
  return rows[0]
}
