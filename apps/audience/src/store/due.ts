import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Milliseconds until the earliest thing the sweep has to do, by the database's clock; undefined when nothing waits. */
export async function millisecondsUntilDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from least(
      (select min(due_at) from batches where done_at is null),
      (select min(due_at) from fan_outs where due_at is not null),
      (select min(due_at) from announcements)
    ) - now()) * 1000)::float8 as ms`.execute(db)
  return rows[0]?.ms ?? undefined
}

/** How long the oldest row that is due has waited, by queue; 0 when none is. */
export async function findDueAges(db: Db): Promise<{ queue: string; seconds: number }[]> {
  const { rows } = await sql<{ queue: string; seconds: number }>`
    select queue, coalesce(greatest(extract(epoch from now() - due_at), 0), 0)::float8 as seconds
    from (values
      ('batches', (select min(due_at) from batches where done_at is null)),
      ('fan-outs', (select min(due_at) from fan_outs where due_at is not null)),
      ('announcements', (select min(due_at) from announcements))
    ) as queues(queue, due_at)`.execute(db)
  return rows
}
