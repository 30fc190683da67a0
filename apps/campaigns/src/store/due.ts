import type { CampaignStatus } from '@herald/contracts/stats'
import { pointedAtOnce, sweepAgain } from '@herald/contracts/topology'
import { sql, type RawBuilder } from 'kysely'
import { statusAfter } from '../core/campaign.ts'
import { pointedAt } from './new-campaigns.ts'
import type { Db } from './tables.ts'

/** Reads the database's time, by which schedules begin. */
export async function readClock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  const [clock] = rows
  if (!clock) throw new Error('a select of one row answered none')
  return clock.now
}

/**
 * These two statuses are the condition of the index `campaigns_planned`. They are written into the text of a statement, because the planner does not
 * use that index when the status is a parameter.
 */
const scheduled = sql.lit<CampaignStatus>('scheduled')
export const recurring = sql.lit<CampaignStatus>('active')

/**
 * Gives the milliseconds until a scheduled campaign or an unstarted send is due: 0 for now, undefined for never. With `status in ('scheduled',
 * 'sending')` the planner sorts all of them: 19 ms when 4,500 sends wait.
 */
export const nextSendDueInMs = (db: Db): Promise<number | undefined> =>
  inMs(db, sql`campaigns where status <> ${recurring} and due_at is not null order by due_at`)

/** Gives the milliseconds until a recurrence is due, by the database's clock: 0 for now, undefined for never. */
export const nextRecurrenceDueInMs = (db: Db): Promise<number | undefined> =>
  inMs(db, sql`campaigns where status = ${recurring} and due_at is not null order by due_at`)

async function inMs(db: Db, dueFirst: RawBuilder<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ inMs: number }>`
    select ceil(extract(epoch from due_at - now()) * 1000)::double precision as "inMs" from ${dueFirst} limit 1`.execute(db)
  return rows[0] && Math.max(0, rows[0].inMs)
}

/** Gives the milliseconds until audience is told again of some change of a send's flow; undefined when no change waits for audience's answer. */
export async function nextFlowDueInMs(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('campaigns')
    .select(sql<number>`ceil(extract(epoch from flow_due_at - now()) * 1000)::double precision`.as('inMs'))
    .where('flow_due_at', 'is not', null)
    .orderBy('flow_due_at')
    .limit(1)
    .executeTakeFirst()
  return row && Math.max(0, row.inMs)
}

/**
 * Takes due sends that audience has not started, from all apps in turn, at most 64 of an app at once (`pointedAtOnce`). Parallel sweeps never take
 * the same row. `only`: this one alone.
 */
export async function takeDueCampaigns(db: Db, limit: number, only?: string): Promise<{ id: string; pointerNo: number; appId: string }[]> {
  // Due again in 10 s after the first time, later in 15 s (`sweepAgain` of contracts/topology.ts).
  const { rows } = await sql<{ id: string; pointerNo: number; appId: string }>`
    with recursive ${only === undefined ? dueInTurn(limit) : dueAlone(only)}
    update campaigns set pointer_no = pointer_no + 1, due_at = now() + least(${sweepAgain.stepSeconds}::int * (pointer_no + 2), ${sweepAgain.mostSeconds}::int) * interval '1 second'
    where campaigns.id = any(array(select id from due))
    returning campaigns.id, campaigns.pointer_no as "pointerNo", campaigns.app_id as "appId"`.execute(db)
  return rows
}

/** Finds the sends that `takeDueCampaigns` would take. */
export async function findDueCampaigns(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`with recursive ${dueInTurn(limit)} select id from due`.execute(db)
  return rows.map(({ id }) => id)
}

const dueAlone = (id: string) => sql`
    due as (select id from campaigns where id = ${id} and due_at <= now() and status || '' = 'sending' for update skip locked)`

const dueInTurn = (limit: number) => sql`
    apps as (
      (select app_id from campaigns where status = 'sending' and due_at is not null order by app_id limit 1)
      union all
      select (
        select c.app_id from campaigns c where c.status = 'sending' and c.due_at is not null and c.app_id > apps.app_id order by c.app_id limit 1
      ) from apps where apps.app_id is not null
    ), turns as (
      select due.id, due.turn from apps cross join lateral (
        select id, row_number() over (order by due_at) as turn from campaigns c
        where c.status = 'sending' and c.app_id = apps.app_id and c.due_at <= now()
        order by due_at limit greatest(0, ${pointedAtOnce} - ${pointedAt(sql`apps.app_id`)})
      ) as due
      where apps.app_id is not null
      order by due.turn limit ${4 * limit}
    ), due as (
      -- The list turns has four times as many rows as are taken, because another sweep may have locked the first of them. (With || '' the planner
      -- finds the rows by their ids. Otherwise it reads the index of all waiting sends: 12 ms for 2,800 of them.)
      select c.id from turns join campaigns c on c.id = turns.id
      where c.id = any(array(select id from turns)) and c.due_at <= now() and c.status || '' = 'sending'
      order by turns.turn limit ${limit} for update of c skip locked
    )`

/**
 * Starts scheduled campaigns whose time has come, however late. When several sweeps, a cancel and a send meet, the row's lock and status let one
 * succeed. `only`: of the due campaigns, this one alone.
 */
export const startDueCampaigns = (db: Db, limit: number, only?: string) =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select(['id', 'due_at as was_due_at'])
        .where('due_at', '<=', sql<Date>`now()`)
        .where('status', '=', scheduled)
        .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('campaigns')
    .from('due')
    .whereRef('campaigns.id', '=', 'due.id')
    .set({ status: statusAfter('start'), due_at: sql<Date>`now()` })
    .returning([sql<number>`extract(epoch from now() - was_due_at)::double precision`.as('lateSeconds')])
    .execute()

/** Finds the scheduled campaigns whose time has come, oldest first. */
export const findDueStarts = (db: Db, limit: number): Promise<string[]> => findDue(db, scheduled, limit)
/** Finds the recurrences that are due, oldest first. */
export const findDueRecurrences = (db: Db, limit: number): Promise<string[]> => findDue(db, recurring, limit)

async function findDue(db: Db, status: typeof scheduled, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('campaigns')
    .select('id')
    .where('due_at', '<=', sql<Date>`now()`)
    .where('status', '=', status)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Gives, for each kind of due row, the seconds for which the oldest has waited: 0 when no row of the kind is due. */
export async function findDueAges(db: Db): Promise<Record<'schedules' | 'recurrences' | 'pointers' | 'flows', number>> {
  const age = (column: string, status: string) =>
    sql.raw(`coalesce(extract(epoch from now() - min(${column}) filter (where ${column} <= now() and ${status})), 0)::double precision`)
  const { rows } = await sql<{ schedules: number; recurrences: number; pointers: number; flows: number }>`
    select ${age('due_at', "status = 'scheduled'")} as schedules, ${age('due_at', "status = 'active'")} as recurrences,
      ${age('due_at', "status = 'sending'")} as pointers, ${age('flow_due_at', 'true')} as flows
    from campaigns where due_at <= now() or flow_due_at <= now()`.execute(db)
  return rows[0] ?? { schedules: 0, recurrences: 0, pointers: 0, flows: 0 }
}
