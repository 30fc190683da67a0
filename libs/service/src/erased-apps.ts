import { sql, type QueryExecutorProvider } from 'kysely'

/**
 * Marks an app as erased in the schema of a service: from then on triggers and statements write no new row of the app. Transactions that are
 * writing one at this moment are waited for, so that the caller sees their rows and can delete them. Not to be called in a transaction: the
 * mark must be committed before the lock is asked for.
 */
export async function markErased(db: QueryExecutorProvider, service: 'audience' | 'campaigns' | 'tracker', appId: string): Promise<void> {
  await sql`insert into erased_apps (app_id) values (${appId}) on conflict do nothing`.execute(db)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${service}.erased-app ${appId}`}, 0))`.execute(db)
}

export async function isErased(db: QueryExecutorProvider, appId: string): Promise<boolean> {
  const { rows } = await sql`select from erased_apps where app_id = ${appId}`.execute(db)
  return rows.length > 0
}

/** Deletes marks older than `days` and gives their number: messages of an app arrive within days after it was deleted, not later. */
export async function deleteOldErasedApps(db: QueryExecutorProvider, days: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from erased_apps where at < now() - make_interval(days => ${days})`.execute(db)
  return Number(numAffectedRows)
}
