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
