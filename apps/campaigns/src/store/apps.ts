import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import type { Db } from './tables.ts'

/** Cancels the scheduled campaigns and the active recurrences of an app, so that none of them starts or runs any more. */
export async function stopSchedulesOfApp(db: Db, appId: string): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ status: statusAfter('cancel'), due_at: null, settled_at: sql<Date>`now()` })
    .where('app_id', '=', appId)
    .where('due_at', 'is not', null)
    .where('status', 'in', statusesThatAllow('cancel'))
    .execute()
}

/**
 * Deletes at most `limit` campaigns, idempotency records, templates, categories and activities of an app, and gives how many. By key, not by `ctid`: an update that the
 * delete waits for changes the `ctid`, and the row would be missed.
 */
export async function deleteRowsOfApp(db: Db, appId: string, limit: number): Promise<number> {
  let deleted = 0
  for (const table of ['campaigns', 'idempotency_keys', 'templates', 'categories', 'activities'] as const) {
    const rows = sql.table(table)
    const key = table === 'idempotency_keys' ? sql`key` : table === 'activities' ? sql`activity_id` : sql`id`
    const { numAffectedRows = 0n } = await sql`
      delete from ${rows}
      where app_id = ${appId} and ${key} = any(array(select ${key} from ${rows} where app_id = ${appId} limit ${limit - deleted}))`.execute(
      db,
    )
    deleted += Number(numAffectedRows)
  }
  return deleted
}
