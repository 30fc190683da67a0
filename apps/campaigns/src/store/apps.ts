import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import type { Db } from './tables.ts'

/** Cancels whatever of an app has not started: no schedule starts and no recurrence runs any more. */
export async function stopSchedulesOfApp(db: Db, appId: string): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ status: statusAfter('cancel'), due_at: null, settled_at: sql<Date>`now()` })
    .where('app_id', '=', appId)
    .where('due_at', 'is not', null)
    .where('status', 'in', statusesThatAllow('cancel'))
    .execute()
}

/** Deletes rows of an app, at most `limit` over all tables; answers how many. */
export async function deleteRowsOfApp(db: Db, appId: string, limit: number): Promise<number> {
  let deleted = 0
  for (const table of ['campaigns', 'idempotency_keys', 'templates'] as const) {
    const rows = sql.table(table)
    const { numAffectedRows = 0n } = await sql`
      delete from ${rows} where ctid = any(array(select ctid from ${rows} where app_id = ${appId} limit ${limit - deleted}))`.execute(db)
    deleted += Number(numAffectedRows)
  }
  return deleted
}
