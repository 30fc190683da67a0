import { sql } from 'kysely'
import { statusAfter } from '../core/campaign.ts'
import { inherited, startLease } from './campaigns.ts'
import { recurring } from './due.ts'
import type { Db } from './tables.ts'

/** Takes recurrences that are due, and locks their rows until the transaction ends, so that a request to cancel one waits. */
export const takeDueRecurrences = (db: Db, limit: number, only?: string) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'schedule', 'activated_at as activatedAt', 'due_at as dueAt', 'run_count as runCount', sql<Date>`now()`.as('now')])
    .where('due_at', '<=', sql<Date>`now()`)
    .where('status', '=', recurring)
    .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()

/** Makes a recurrence due in a minute. */
export const postponeRecurrence = (db: Db, id: string) =>
  db
    .updateTable('campaigns')
    .set({ due_at: sql<Date>`now() + interval '1 minute'` })
    .where('id', '=', id)
    .where('status', '=', recurring)
    .execute()

export type NewRun = { id: string; recurringOf: string; localDate: string }

/**
 * Writes runs as campaigns under way, each a copy of its recurrence, and gives the ids of those that are new. A local date gets at most one run, and
 * an erased app gets none.
 */
export async function insertRuns(db: Db, runs: NewRun[]): Promise<string[]> {
  if (runs.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    insert into campaigns (
      id, recurring_of, local_date, author, status, transactional, target, content, experiment, schedule, due_at, ${inherited}
    )
    select
      run.id, parent.id, run.local_date::date, author, ${statusAfter('sendNow')}, false, target, content, experiment, '{"type":"now"}'::jsonb,
      ${startLease}, ${inherited}
    from unnest(
      ${runs.map(({ id }) => id)}::text[], ${runs.map(({ recurringOf }) => recurringOf)}::text[], ${runs.map(({ localDate }) => localDate)}::text[]
    ) as run(id, parent_id, local_date)
    join campaigns as parent on parent.id = run.parent_id
    on conflict (recurring_of, local_date) where recurring_of is not null do nothing
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Sets when recurrences are due next. A recurrence without a next time ends. The caller has locked the rows. */
export async function advanceRecurrences(
  db: Db,
  ticks: { id: string; nextDue: Date | undefined; missed: number; made: number }[],
): Promise<void> {
  if (ticks.length === 0) return
  await sql`
    update campaigns set
      due_at = next.due_at,
      missed_count = missed_count + next.missed,
      run_count = coalesce(run_count, 0) + next.made,
      status = case when next.due_at is null then ${statusAfter('end')} else status end,
      settled_at = case when next.due_at is null then now() end
    from unnest(
      ${ticks.map(({ id }) => id)}::text[], ${ticks.map(({ nextDue }) => nextDue?.toISOString() ?? null)}::timestamptz[],
      ${ticks.map(({ missed }) => missed)}::int[], ${ticks.map(({ made }) => made)}::int[]
    ) as next(id, due_at, missed, made)
    where campaigns.id = next.id`.execute(db)
}

/** Finds what says when a campaign comes next, and the database's time. Undefined when the campaign is unknown or belongs to another app. */
export const findPlanned = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select(['status', 'schedule', 'activated_at as activatedAt', 'run_count as runCount', sql<Date>`now()`.as('now')])
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

export type RunRow = Awaited<ReturnType<typeof findRuns>>[number]

/** Finds up to one run more than `limit`, newest day first, of days before `before`. Reads the unique index of recurrence and day. */
export const findRuns = (db: Db, recurrenceId: string, { limit, before }: { limit: number; before: string | undefined }) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'status', 'cancelling', 'failure', 'created_at as createdAt', 'started_at as startedAt', 'settled_at as settledAt'])
    .select(sql<string>`local_date::text`.as('day'))
    .where('recurring_of', '=', recurrenceId)
    .$if(before !== undefined, (query) => query.where('local_date', '<', sql<string>`${before}::date`))
    .orderBy('local_date', 'desc')
    .limit(limit + 1)
    .execute()
