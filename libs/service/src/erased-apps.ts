import { sql, type QueryExecutorProvider } from 'kysely'

/**
 * Marks an app as erased in a service's schema: from now on no new row of it is written. Waits for transactions that write one. Call it outside a
 * transaction: the mark must be committed before the lock is taken.
 */
export async function markErased(db: QueryExecutorProvider, service: 'audience' | 'campaigns' | 'tracker', appId: string): Promise<void> {
  await sql`insert into erased_apps (app_id) values (${appId}) on conflict do nothing`.execute(db)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${service}.erased-app ${appId}`}, 0))`.execute(db)
}

export async function isErased(db: QueryExecutorProvider, appId: string): Promise<boolean> {
  const { rows } = await sql`select from erased_apps where app_id = ${appId}`.execute(db)
  return rows.length > 0
}

/**
 * Deletes marks older than `days` and gives how many it deleted. The caller chooses `days` so that by then no message of a deleted app can arrive any
 * more.
 */
export async function deleteOldErasedApps(db: QueryExecutorProvider, days: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)
  return Number(numAffectedRows)
}
