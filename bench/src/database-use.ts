import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Reads how many bytes of WAL this server has written since it was made. */
export async function readWal(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`)
  return Number(rows[0]?.bytes)
}

/** Reads how many bytes the tracker's ledger and its indexes take on disk. */
export async function readLedgerSize(database: pg.Client): Promise<number> {
  const tables = await readTables(database)
  return tables.filter(({ name }) => name.startsWith('tracker.ledger')).reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Waits until a campaign is settled, by reading its row in the database. Asking over HTTP twenty times a second would take a tenth of the CPU of the
 * pushes. Throws after `withinMs`.
 */
export async function untilSettled(database: pg.Client, campaignId: string, withinMs: number): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const { rowCount } = await database.query('select 1 from campaigns.campaigns where id = $1 and settled_at is not null', [campaignId])
    if (rowCount === 1) return
    if (performance.now() - startedAt > withinMs) throw new Error(`campaign ${campaignId} was not settled within ${withinMs} ms`)
    await sleep(50)
  }
}

/** Waits until every campaign of an app is settled, asking each second. Throws after `withinMs`. */
export async function untilAllSettled(database: pg.Client, appId: string, withinMs: number): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const open = await database.query('select 1 from campaigns.campaigns where app_id = $1 and settled_at is null limit 1', [appId])
    if (open.rowCount === 0) return
    if (performance.now() - startedAt > withinMs) throw new Error(`not every send of the app was settled within ${withinMs} ms`)
    await sleep(1_000)
  }
}

export type Table = { name: string; bytes: number; live: number; dead: number }

/**
 * Lists every table of the services with its size on disk (indexes and TOAST included), and its live and dead rows as Postgres counts them. The
 * partitions of a table are added up, whatever day is in their names.
 */
export async function readTables(database: pg.Client): Promise<Table[]> {
  const { rows } = await database.query<{ name: string; bytes: string; live: string; dead: string }>(`
    select schemaname || '.' || regexp_replace(relname, '_\\d{8}$', '') as name,
      sum(pg_total_relation_size(relid)) as bytes, sum(n_live_tup) as live, sum(n_dead_tup) as dead
    from pg_stat_user_tables where schemaname not in ('public', 'information_schema')
    group by 1 order by 1`)
  return rows.map(({ name, bytes, live, dead }) => ({ name, bytes: Number(bytes), live: Number(live), dead: Number(dead) }))
}
