import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import { ownLease } from './campaigns.ts'
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
 * Starts scheduled campaigns whose time has come, however late: under way, with their own lease. The row's lock and its status decide
 * between the sweeps of several processes, a cancel and a send.
 */
export const startDueCampaigns = (db: Db, limit: number) =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select('id')
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
    .set({ status: statusAfter('start'), due_at: ownLease })
    .returning(['campaigns.id', 'pointer_no'])
    .execute()
