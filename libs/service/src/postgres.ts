import { setTimeout as sleep } from 'node:timers/promises'
import { databaseUnavailable, tooManyReads } from '@herald/contracts/fault'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { isDatabaseBusy, watchDatabase, type DatabaseWatch } from './health.ts'
import { keepPlans, keptForSeconds, optionsOf, plansToKeep, type Settings } from './kept-plans.ts'
import type { Service } from './run.ts'
import { openAtOnce } from './at-once.ts'
import { openReplica } from './replica.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Reads `bigint` as a number, since no number of Herald's exceeds 2^53, and `date` as text, since a day is a name and not an instant. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format !== 'binary' && oid === pg.types.builtins.INT8) return Number
    if (format !== 'binary' && oid === pg.types.builtins.DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
}

/**
 * Reads for an operator or API caller, on connections of their own, so that they never take one from sending. Apps take turns. Fault
 * `rate_limited`: too many reads, longer than `withinMs` (2.5 s, wait included), or a slow statement.
 */
export type Reads<Schema> = <Answer>(
  work: (db: Kysely<Schema>) => Promise<Answer>,
  limits?: { withinMs?: number; appId?: string },
) => Promise<Answer>

export type Database<Schema> = {
  readonly db: Kysely<Schema>
  /** For the statements that run for every send or registration. Its connections keep their plans (kept-plans.ts). */
  readonly frequentDb: Kysely<Schema>
  readonly reads: Reads<Schema>
  readonly watch: DatabaseWatch
}

/**
 * A process has at most this many connections for statements with kept plans. Few are enough, because most of these statements run in group commits
 * (group.ts), of which only one or two of each kind run at once.
 */
export const keptConnections = 4
/** A process has at most this many connections for reads, in addition to those for its work. */
export const readConnections = 3
/** Audience has more: three may be busy with counts and a dry run, each for 18 s. */
export const readConnectionsOfAudience = 5
/**
 * How long a statement of the work waits for a locked row, in milliseconds: less than the 3 s that a caller waits. Otherwise all commits would stand
 * behind one locked row for the 9 s of a statement.
 */
const lockWaitMs = 2_000
/** The time limit of a statement of a read, in milliseconds. A statement that may take longer sets its own (`set local statement_timeout`). */
const readStatementMs = 2_000
/**
 * The time limit of a read, in milliseconds. It is less than the 3 s that a caller waits for an answer, so that the caller learns why there is none.
 */
const readWithinMs = 2_500
const readWaitMs = 1_000
const mostReadsWaiting = 200
const readAgainSeconds = 2
const queryTimeoutMs = 10_000

/**
 * With this setting Postgres reads a whole table only when no index serves the statement. A connection keeps the plans of foreign keys and triggers:
 * one made on an empty table would still read everything with a million rows.
 */
const planForLargeTables: Settings = { enable_seqscan: 'off' }
export const settingsForWork = optionsOf(planForLargeTables)

/**
 * How long, in milliseconds, a transaction may wait for its next statement. The locks of a machine cut off from the network last this long. They may
 * hold batches of other dispatchers, which must renew their leases within 12 s.
 */
const idleInTransactionMs = 5_000
/**
 * The settings of each pool's sessions. The server's time limit for a statement is shorter than the process's (`query_timeout`), so the server ends a
 * slow statement, and the process only those of a frozen server.
 */
const sessionEnds: Settings = { idle_in_transaction_session_timeout: String(idleInTransactionMs) }
const forWork: Settings = { ...sessionEnds, statement_timeout: '9000', lock_timeout: String(lockWaitMs), ...planForLargeTables }
export const poolSettings = {
  work: forWork,
  kept: { ...forWork, ...plansToKeep },
  reads: { ...sessionEnds, statement_timeout: String(readStatementMs), lock_timeout: '0' },
} as const satisfies Record<string, Settings>
type PoolName = keyof typeof poolSettings

/** The names under which PgBouncer has the database, one for each pool, because it sets what a session cannot (deploy/pgbouncer). */
export const pooledName = { work: '', kept: '_kept', reads: '_reads' } as const satisfies Record<PoolName, string>

/**
 * Opens a service's pools: for its work, for reads, and for the statements of each send; one connection watches the database. `query_timeout` and
 * `connectionTimeoutMillis` end queries on a frozen Postgres. Throws when a pooler drops a session's settings.
 */
export async function openDatabase<Schema>(
  service: Service,
  {
    url,
    poolSize,
    readSize = readConnections,
    queryMs = queryTimeoutMs,
    pooler = 'none',
    readUrl,
  }: {
    url: string
    poolSize: number
    readSize?: number
    queryMs?: number
    pooler?: 'none' | 'pgbouncer' | undefined
    /** The address of a replica for reads (spec: running/read-replica). */
    readUrl?: string | undefined
  },
): Promise<Database<Schema>> {
  const limit: Settings = { statement_timeout: String(queryMs - 1_000) }
  const open = (name: PoolName, size: number, limitMs: number, { own = {}, at = url }: { own?: Settings; at?: string } = {}) =>
    pooler === 'none'
      ? openPool(service, { url: at, size, limitMs, settings: { ...poolSettings[name], ...own } })
      : openPool(service, { url: pooledAddress(at, name), size, limitMs, settings: {} })
  const workPool = open('work', poolSize, queryMs, { own: limit })
  const keptPool = open('kept', keptConnections, queryMs, { own: limit })
  const readPool = open('reads', readSize, 25_000)
  const ofReplica = readUrl === undefined ? undefined : open('reads', readSize, 25_000, { at: readUrl })
  service.metrics.gauge(
    'herald_db_connections',
    'Connections of the pools for work, for the statements of each send (kept) and for reads, and queries that wait for one.',
    {
      labelNames: ['state', 'pool'],
      collect() {
        for (const [name, pool] of [['work', workPool] as const, ['kept', keptPool] as const, ['reads', readPool] as const]) {
          this.labels('in_use', name).set(pool.totalCount - pool.idleCount)
          this.labels('idle', name).set(pool.idleCount)
          this.labels('waited_for', name).set(pool.waitingCount)
        }
      },
    },
  )
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: workPool }) })
  const frequentDb = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: keepPlans(keptPool) }) })
  const readDb = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: readPool }) })
  service.onStop('pools', () =>
    Promise.race([
      Promise.all([db.destroy(), frequentDb.destroy(), readDb.destroy(), ofReplica?.end()]),
      sleep(1_000, undefined, { ref: false }),
    ]),
  )
  const watch = await watchDatabase(service, url)
  for (const pool of [workPool, keptPool, readPool]) watch.onAway(renewer(pool))
  const check = () => checkSettings({ work: workPool, kept: keptPool, reads: readPool })
  if (pooler === 'pgbouncer' && watch.up) await check()
  else if (pooler === 'pgbouncer')
    watch.onReturn(
      () => void check().catch((error: unknown) => service.log.error({ err: error }, 'the pooler sets other values than Herald needs')),
    )
  const read = ofReplica ? openReplica(service, { pool: ofReplica, primary: readDb }) : undefined
  return { db, frequentDb, reads: openReads(service, read ?? ((answer) => answer(readDb)), watch, readSize), watch }
}

function openPool(
  { name, log }: Service,
  { url, size, limitMs, settings }: { url: string; size: number; limitMs: number; settings: Settings },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    types: columnTypes,
    connectionTimeoutMillis: 2_000,
    query_timeout: limitMs,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: keptForSeconds,
    application_name: `herald-${name}`,
    keepAlive: true,
    // PgBouncer refuses a session that begins with settings, so none are sent to it, not even an empty text.
    ...(Object.keys(settings).length > 0 && { options: optionsOf(settings) }),
  })
  pool.on('error', (error) => log.debug({ message: error.message }, 'idle connection lost'))
  // Listens for errors of a connection in use, because the pool listens only on idle ones. Without a listener an error between two queries would end
  // the process; with it, the next query fails.
  pool.on('connect', (client) => void client.on('error', (error) => log.debug({ message: error.message }, 'connection lost')))
  return pool
}

function pooledAddress(url: string, name: PoolName): string {
  const address = new URL(url)
  address.pathname += pooledName[name]
  return address.href
}

/** Asks a session of each pool for its settings. Without them statements would have no time limit and other plans, and nobody would see it. */
async function checkSettings(pools: Record<PoolName, pg.Pool>): Promise<void> {
  for (const [name, wanted] of Object.entries(poolSettings) as [PoolName, Settings][]) {
    const { rows } = await pools[name].query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [Object.keys(wanted)],
    )
    const wrong = rows
      .filter((row) => row.setting !== wanted[row.name])
      .map((row) => `${row.name} is ${row.setting} and not ${wanted[row.name]}`)
    if (wrong.length > 0)
      throw new Error(
        `DATABASE_POOLER is pgbouncer, and its database for ${name} sets other values (${wrong.join(', ')}): take connect_query from deploy/pgbouncer/pgbouncer.ini.`,
      )
  }
}

/**
 * Gives a function that lets every connection of a pool end: an idle one at once, a busy one after its work. After a failover the old connections may
 * lead to a server that is no primary any more.
 */
function renewer(pool: pg.Pool): () => void {
  let generation = 0
  const born = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => void born.set(client, generation))
  // The pool drops a client that has ended when the client is released.
  pool.on('release', (_, client) => {
    if ((born.get(client) ?? 0) !== generation) void client.end()
  })
  return () => {
    generation += 1
    for (let left = pool.idleCount; left > 0; left -= 1) pool.connect((_error, _client, release) => release(true))
  }
}

function openReads<Schema>(
  { log, metrics }: Service,
  read: <Answer>(work: (db: Kysely<Schema>) => Promise<Answer>) => Promise<Answer>,
  watch: DatabaseWatch,
  readSize: number,
): Reads<Schema> {
  const refused = metrics.counter(
    'herald_reads_refused_total',
    'Reads for operators and callers that were answered 429: too many at once, or one took too long.',
  )
  const refusal = () => {
    refused.inc()
    return tooManyReads(readAgainSeconds)
  }
  const inTurn = openAtOnce({
    atOnce: readSize,
    share: readSize - 1,
    crowdedShare: 1,
    mostWaiting: mostReadsWaiting,
    waitMs: readWaitMs,
    full: refusal,
  })

  return async (work, { withinMs = readWithinMs, appId = '' } = {}) => {
    const answer = inTurn(() => read(work), appId)
    try {
      // A caller whose time is over is answered, but `work` goes on to its end, and counts as under way until then.
      return await waitAtMost(withinMs, answer, (): never => {
        throw refusal()
      })
    } catch (error) {
      if (!isDatabaseBusy(error)) throw error
      if (!watch.up) throw databaseUnavailable()
      log.warn({ err: error }, 'a read took too long')
      throw refusal()
    }
  }
}

const retriedTimes = 3

/**
 * Runs one transaction, again up to three times after a deadlock (40P01) or serialisation failure (40001). A transaction writes rows in the order of
 * their keys, and counters last: without it 4 of 240 had a deadlock, with it none.
 */
export const transact = <Schema, T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> =>
  retried(() => db.transaction().execute(work))

/**
 * Runs work that is one statement, and so a transaction of its own. After a deadlock or a serialisation failure it is tried again, as in `transact`.
 */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if ((code !== '40P01' && code !== '40001') || attempt > retriedTimes) throw error
    }
  }
}
