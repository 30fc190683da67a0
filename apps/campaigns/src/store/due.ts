import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import { startLease } from './campaigns.ts'
import type { Db } from './tables.ts'

/** Milliseconds until the next campaign of these statuses is due, by the database's clock; 0: now. Undefined: none waits. */
export async function nextDueInMs(db: Db, statuses: CampaignStatus[]): Promise<number | undefined> {
  const row = await db
    .selectFrom('campaigns')
    .select(sql<number>`ceil(extract(epoch from due_at - now()) * 1000)::double precision`.as('in_ms'))
    .where('due_at', 'is not', null)
    .where('status', 'in', statuses)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row && Math.max(0, row.in_ms)
}

/** The same for what audience is to be told of a send's flow. */
export async function nextFlowDueInMs(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('campaigns')
    .select(sql<number>`ceil(extract(epoch from flow_due_at - now()) * 1000)::double precision`.as('in_ms'))
    .where('flow_due_at', 'is not', null)
    .orderBy('flow_due_at')
    .limit(1)
    .executeTakeFirst()
  return row && Math.max(0, row.in_ms)
}

/**
 * Takes campaigns whose fan-out nobody has taken over. Two sweeps never take the same row; it is due again after 5, 10, 15, 15 … s
 * (`sweepAgainSeconds` of contracts/topology.ts, by the raised number).
 */
export const takeDueCampaigns = (db: Db, limit: number) =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select('id')
        .where('due_at', '<=', sql<Date>`now()`)
        .where('status', '=', 'sending')
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('campaigns')
    .from('due')
    .whereRef('campaigns.id', '=', 'due.id')
    .set({ pointer_no: sql<number>`pointer_no + 1`, due_at: sql<Date>`now() + least(5 * (pointer_no + 2), 15) * interval '1 second'` })
    .returning(['campaigns.id', 'pointer_no'])
    .execute()

/**
 * Starts scheduled campaigns whose time has come, however late: under way, with a lease. The row's lock and its status decide
 * between the sweeps of several processes, a cancel and a send.
 */
export const startDueCampaigns = (db: Db, limit: number) =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select(['id', 'due_at as was_due_at'])
        .where('due_at', '<=', sql<Date>`now()`)
        .where('status', 'in', statusesThatAllow('start'))
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('campaigns')
    .from('due')
    .whereRef('campaigns.id', '=', 'due.id')
    .set({ status: statusAfter('start'), due_at: startLease })
    .returning(['campaigns.id', 'pointer_no', sql<number>`extract(epoch from now() - was_due_at)::double precision`.as('late_seconds')])
    .execute()

/** How long the oldest row that waits for each sweep has been due, seconds; 0: nothing is. */
export async function findDueAges(db: Db): Promise<Record<'schedules' | 'recurrences' | 'pointers' | 'flows', number>> {
  const age = (column: string, status: string) =>
    sql.raw(`coalesce(extract(epoch from now() - min(${column}) filter (where ${column} <= now() and ${status})), 0)::double precision`)
  const { rows } = await sql<{ schedules: number; recurrences: number; pointers: number; flows: number }>`
    select ${age('due_at', "status = 'scheduled'")} as schedules, ${age('due_at', "status = 'active'")} as recurrences,
      ${age('due_at', "status = 'sending'")} as pointers, ${age('flow_due_at', 'true')} as flows
    from campaigns where due_at <= now() or flow_due_at <= now()`.execute(db)
  return rows[0] ?? { schedules: 0, recurrences: 0, pointers: 0, flows: 0 }
}
