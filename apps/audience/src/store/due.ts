import { sql, type RawBuilder } from 'kysely'
import type { Db } from './tables.ts'
import { appsOf, dueAgain, dueFanOuts, notDone, onLane } from './turns.ts'

/** When the first of these rows is due; one look into an index for each app. */
const firstDue = (rows: RawBuilder<unknown>) => sql`(
  select min(first.due_at) from ${appsOf(rows)} apps
    cross join lateral (select t.due_at from ${rows} and t.app_id = apps.app_id order by t.due_at limit 1) as first)`

/** Milliseconds until the earliest thing the sweep has to do, by the database's clock; undefined when nothing waits. */
export async function millisecondsUntilDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from least(
      ${firstDue(onLane)}, ${firstDue(dueAgain)}, ${firstDue(dueFanOuts)},
      -- Not those that wait for room to be repeated: the sweep looks for them every second all the same.
      (select min(due_at) from announcements where pointer_no > 0)
    ) - now()) * 1000)::float8 as ms`.execute(db)
  return rows[0]?.ms ?? undefined
}

/** How long the oldest row that is due has waited, by queue; 0 when none is. */
export async function findDueAges(db: Db): Promise<{ queue: string; seconds: number }[]> {
  const { rows } = await sql<{ queue: string; seconds: number }>`
    select queue, coalesce(greatest(extract(epoch from now() - due_at), 0), 0)::float8 as seconds
    from (values
      ('batches', least(${firstDue(onLane)}, ${firstDue(dueAgain)})),
      ('fan-outs', ${firstDue(dueFanOuts)}),
      ('announcements', (select min(due_at) from announcements))
    ) as queues(queue, due_at)`.execute(db)
  return rows
}

/**
 * Makes due at once what nobody has taken: the queue may have lost its store, and with it every pointer. A pointer too many does no harm,
 * and waiting for each row's own time cost a send 5 s.
 */
export async function makeUntakenDue(db: Db): Promise<void> {
  await sql`
    update batches set due_at = now()
    where ${notDone} and due_at > now() and takes = 0 and held_since is null and (not_before is null or not_before <= now())`.execute(db)
  await sql`update fan_outs set due_at = now() where due_at > now() and state = 'running' and lease_until is null and failures = 0`.execute(
    db,
  )
}
