import { sql, type QueryExecutorProvider } from 'kysely'

/** Whether the database has a standby, and whether a failover to it loses nothing. */
export type Standby = 'none' | 'synchronous' | 'asynchronous'

/**
 * Reads whether the database has a standby, and whether a commit waits for it (Postgres manual, 26.2.8 Synchronous Replication). Every role may read
 * this; of a standby it sees only that there is one.
 */
export async function readStandby(db: QueryExecutorProvider): Promise<Standby> {
  const { rows } = await sql<{ names: string; standbys: number }>`
    select current_setting('synchronous_standby_names') as names, (select count(*)::int from pg_stat_replication) as standbys`.execute(db)
  const { names = '', standbys = 0 } = rows[0] ?? {}
  if (names !== '') return 'synchronous'
  return standbys > 0 ? 'asynchronous' : 'none'
}
