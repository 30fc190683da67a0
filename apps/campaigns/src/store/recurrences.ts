import { sql } from 'kysely'
import { statusAfter } from '../core/campaign.ts'
import type { Recurrence } from '../core/schedule.ts'
import { ownLease } from './campaigns.ts'
import type { Db } from './tables.ts'

export type DueRecurrence = { id: string; schedule: Recurrence; activatedAt: Date; dueAt: Date; now: Date }

/** Takes recurrences that are due; their rows are the caller's until its transaction ends, and no cancel comes between. */
export async function takeDueRecurrences(db: Db, limit: number): Promise<DueRecurrence[]> {
  const rows = await db
    .selectFrom('campaigns')
    .select(['id', 'schedule', 'activated_at', 'due_at', sql<Date>`now()`.as('now')])
    .where('due_at', '<=', sql<Date>`now()`)
    .where('status', '=', statusAfter('sendRecurring'))
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.flatMap(({ id, schedule, activated_at, due_at, now }) =>
    schedule?.type === 'recurring' && activated_at && due_at ? [{ id, schedule, activatedAt: activated_at, dueAt: due_at, now }] : [],
  )
}

export type NewRun = { id: string; recurringOf: string; localDate: string }

/**
 * Writes runs as campaigns under way: copies of their recurrences, with their own ids. Answers the ids of those that are new: a local
 * date that has its run gets no second one.
 */
export async function insertRuns(db: Db, runs: NewRun[]): Promise<string[]> {
  if (runs.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    insert into campaigns (
      id, recurring_of, local_date, app_id, name, status, transactional, target, content, template_id, silent, data, ttl, collapse_id,
      priority, presentation, bypass, schedule, segment_id, due_at
    )
    select
      run.id, parent.id, run.local_date::date, app_id, name, ${statusAfter('sendNow')}, false, target, content, template_id, silent, data, ttl,
      collapse_id, priority, presentation, bypass, '{"type":"now"}'::jsonb, segment_id, ${ownLease}
    from unnest(
      ${runs.map(({ id }) => id)}::text[], ${runs.map(({ recurringOf }) => recurringOf)}::text[], ${runs.map(({ localDate }) => localDate)}::text[]
    ) as run(id, parent_id, local_date)
    join campaigns as parent on parent.id = run.parent_id
    on conflict (recurring_of, local_date) where recurring_of is not null do nothing
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Sets when a recurrence is due next; without a time it is over. */
export async function advanceRecurrence(
  db: Db,
  id: string,
  { nextDue, missed }: { nextDue: Date | undefined; missed: number },
): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({
      due_at: nextDue ?? null,
      missed_count: sql<number>`missed_count + ${missed}::int`,
      ...(nextDue ? {} : { status: statusAfter('end'), settled_at: sql<Date>`now()` }),
    })
    .where('id', '=', id)
    .execute()
}
