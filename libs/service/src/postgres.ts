import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { watchDatabase, type DatabaseWatch } from './health.ts'
import type { Service } from './run.ts'

/** Counts come as numbers (none of ours passes 2^53) and dates without a time as text: a day is a name, not an instant. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format !== 'binary' && oid === pg.types.builtins.INT8) return Number
    if (format !== 'binary' && oid === pg.types.builtins.DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
}

export type Database<Schema> = {
  readonly db: Kysely<Schema>
  readonly watch: DatabaseWatch
}

/**
 * An app's pool. `query_timeout` and `connectionTimeoutMillis` are the client's own clocks: a frozen Postgres never
 * enforces `statement_timeout`, and without them a query waits for ever. The pool is watched from a connection of its own.
 */
export async function openDatabase<Schema>(
  service: Service,
  { url, poolSize, queryTimeoutMs = 10_000 }: { url: string; poolSize: number; queryTimeoutMs?: number },
): Promise<Database<Schema>> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    connectionTimeoutMillis: 2_000,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: 15_000,
    // Before the client's own clock, which cannot tell a statement that is slow from a server that is frozen.
    statement_timeout: queryTimeoutMs - 1_000,
    idleTimeoutMillis: 30_000,
    application_name: `herald-${service.name}`,
    keepAlive: true,
  })
  pool.on('error', (error) => service.log.debug({ message: error.message }, 'idle connection lost'))
  // The pool listens only while a connection idles: one lost between two queries of a transaction would end the process. The next query says it.
  pool.on('connect', (client) => void client.on('error', (error) => service.log.debug({ message: error.message }, 'connection lost')))
  service.metrics.gauge('herald_db_connections', 'Connections of the pool, and what waits for one.', {
    labelNames: ['state'],
    collect() {
      this.labels('in_use').set(pool.totalCount - pool.idleCount)
      this.labels('idle').set(pool.idleCount)
      this.labels('waited_for').set(pool.waitingCount)
    },
  })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  service.onStop('pool', () => Promise.race([db.destroy(), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]))
  const watch = await watchDatabase(service, url)
  return { db, watch }
}

const retriedTimes = 3

/**
 * One transaction. A deadlock (40P01) or a serialisation failure (40001) is the database asking for another try: up to
 * three. Multi-row writes are sorted by key and counters come last, so these are rare (unsorted 4 in 240, sorted 0).
 */
export async function transact<Schema, T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if ((code !== '40P01' && code !== '40001') || attempt > retriedTimes) throw error
    }
  }
}
