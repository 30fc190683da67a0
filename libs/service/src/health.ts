import { databaseUnavailable, Fault } from '@herald/contracts/fault'
import pg from 'pg'
import type { Log } from './log.ts'
import type { Service } from './run.ts'

/**
 * The pause between two probes while work waits for the database or it is away. With `probeLimitMs` the service notices within 1.5 s that the
 * database is away, and mostly within 0.5 s that it is back.
 */
const probeEveryMs = 500
const probeLimitMs = 1_000
/** Work that has not ended after this time lets the watch ask the database, when no probe has ended for `probeEveryMs`. */
const patienceMs = 100
/**
 * The pause between two probes while nobody waits. Probes every 0.5 s in an idle platform took 2 ms of CPU a second; without any, a firewall might
 * close the connection.
 */
const idleProbeMs = 5_000

/**
 * Knows whether a service's database answers and takes writes. While the database is away `guard` ends all guarded work with `database_unavailable`. So a caller gets
 * 503 within 2 s, even when Postgres is frozen and its connections hang for ever.
 */
export type DatabaseWatch = {
  /** Whether the database answered when it was last asked. Reading this lets the watch ask again soon. */
  readonly up: boolean
  /** Runs work and gives its result, or throws `database_unavailable` as soon as the database is known to be away. */
  guard<T>(work: () => Promise<T>): Promise<T>
  /** Resolves at once when the database answers now, else as soon as it does. */
  whenUp(): Promise<void>
  /** Calls the handler each time the database answers again after it was away, before the waiting work goes on. */
  onReturn(handler: () => void): void
  /** Calls the handler each time the database is found to be away. */
  onAway(handler: () => void): void
}

/** Starts watching a database, over a connection of its own: a busy pool must not look like a database that is away. */
export async function watchDatabase(service: Service, connectionString: string): Promise<DatabaseWatch> {
  let up = false
  let closed = false
  let client: pg.Client | undefined
  const waitingForUp = new Set<() => void>()
  const onceBack: (() => void)[] = []
  const onceAway: (() => void)[] = []
  const guarded = new Set<(error: Error) => void>()

  const probe = async () => {
    try {
      client ??= await connect(connectionString, service.log, () => void ask())
      // A standby, and a database that an operator has made read-only, answers and takes no writes (SQLSTATE 25006).
      const { rows } = await client.query<{ readOnly: boolean }>(`select current_setting('transaction_read_only') = 'on' as "readOnly"`)
      if (rows[0]?.readOnly) throw new Error('read only: a standby, or default_transaction_read_only is on')
      const isBack = !up
      up = true
      if (isBack) service.log.info('database is up')
      if (isBack) for (const handler of onceBack) handler()
      for (const resolve of waitingForUp) resolve()
      waitingForUp.clear()
    } catch (error) {
      if (up) service.log.error({ code: errorCode(error) }, 'database is away')
      if (up) for (const handler of onceAway) handler()
      up = false
      discard(client)
      client = undefined
      for (const reject of guarded) reject(databaseUnavailable())
      guarded.clear()
    }
  }

  let timer: NodeJS.Timeout
  let probedAt = 0
  let nextAt = 0
  /** Whether somebody wants to know of the database although no guarded work waits for it. */
  let asked = false
  const plan = (ms: number) => {
    if (closed) return
    clearTimeout(timer)
    nextAt = performance.now() + ms
    timer = setTimeout(() => void again(), ms)
  }
  /** Probes soon, unless work that waits now ends before and nobody asks. */
  const soon = () => {
    const now = performance.now()
    const inMs = Math.max(patienceMs, probedAt + probeEveryMs - now)
    if (nextAt > now + inMs) plan(inMs)
  }
  const again = async () => {
    const idleMs = probedAt + idleProbeMs - performance.now()
    if (up && guarded.size === 0 && !asked && idleMs > 0) return plan(idleMs)
    asked = false
    nextAt = 0
    await probe()
    probedAt = performance.now()
    plan(!up || guarded.size > 0 || asked ? probeEveryMs : idleProbeMs)
  }
  const ask = () => {
    asked = true
    soon()
    return up
  }
  await again()
  service.needs('database', ask)
  service.metrics.gauge('herald_database_up', 'Whether the service’s database answers.', {
    collect() {
      this.set(ask() ? 1 : 0)
    },
  })
  service.onStop('database watch', () => {
    closed = true
    clearTimeout(timer)
    discard(client)
  })

  return {
    get up() {
      return ask()
    },
    guard(work) {
      if (!up) return Promise.reject(databaseUnavailable())
      return new Promise((resolve, reject) => {
        guarded.add(reject)
        soon()
        const ended = async () => {
          try {
            return await work()
          } catch (error) {
            if (isDatabaseAway(error)) ask()
            throw error
          } finally {
            guarded.delete(reject)
          }
        }
        ended().then(resolve, reject)
      })
    },
    onReturn: (handler) => void onceBack.push(handler),
    onAway: (handler) => void onceAway.push(handler),
    whenUp: () => (up ? Promise.resolve() : new Promise((resolve) => waitingForUp.add(resolve))),
  }
}

async function connect(connectionString: string, log: Log, lost: () => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: probeLimitMs,
    query_timeout: probeLimitMs,
    application_name: 'herald-watch',
  })
  client.on('error', (error) => {
    log.debug({ code: errorCode(error) }, 'watch connection lost')
    lost()
  })
  try {
    await client.connect()
  } catch (error) {
    discard(client)
    throw error
  }
  return client
}

/** Closes a connection without waiting: `end()` waits for an answer that a frozen server never gives. */
function discard(client: pg.Client | undefined): void {
  if (!client) return
  void client.end().catch(() => undefined)
}

const errorCode = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.message) : String(error)

const sqlState = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/**
 * Says whether an error of `pg` means that the database is away, takes no connection or, as a standby does, no writes. The caller then gets
 * `database_unavailable`.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|57P0[123]|08\d\d\d|53300|25006)$/.test(sqlState(error))) return true
  return !isPoolFull(error) && /Connection terminated|Client has encountered a connection error|not queryable/i.test(error.message)
}

/** Says whether, within 2 s, no connection of the pool became free and no new one was made. The database itself may be well. */
const isPoolFull = (error: Error): boolean =>
  /^timeout exceeded when trying to connect|^Connection terminated due to connection timeout/.test(error.message)
/** Says whether `pg`, in this process, ended a statement by its own time limit before the server did. */
const isReadTimeout = (error: Error): boolean => error.message === 'Query read timeout'

/** Says whether a statement has waited too long for a lock: another transaction holds a row that it needs. */
export const isLockedOut = (error: unknown): boolean => error instanceof Error && sqlState(error) === '55P03'

/**
 * Says whether the database answers but is too busy: the pool was full, or a statement or its wait for a lock (55P03) took too long. A database that
 * does not answer at all is found by `watchDatabase`.
 */
export const isDatabaseBusy = (error: unknown): boolean =>
  error instanceof Error && (isPoolFull(error) || isReadTimeout(error) || /^(57014|55P03)$/.test(sqlState(error)))

/**
 * Says whether work would fail again for a reason of its own: Herald's mistake, or a statement refused for its data or its time. Conflicts with other
 * transactions, lack of resources and absent services are not such reasons.
 */
export const isOwnFailure = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof Fault) && !failsEverybody(error) && !/^(08|25|40|53|55|57P|58)/.test(sqlState(error))

/**
 * Says whether each item of a group would fail again alone, as its commit did. A statement that the server ended as too slow does not count: one item
 * may be the reason, and the others succeed without it.
 */
export const failsEverybody = (error: unknown): boolean =>
  isDatabaseAway(error) || (error instanceof Error && (isPoolFull(error) || isReadTimeout(error)))
