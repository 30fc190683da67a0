import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@herald/contracts/fault'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'
import { isDatabaseAway, isDatabaseBusy } from './health.ts'
import type { Service } from './run.ts'
import { waitAtMost } from './wait-at-most.ts'

/** A replica that is further behind is not waited for. Usually it is a few milliseconds behind. */
const patienceMs = 100
const lookEveryMs = 10
/** A replica that does not say within this time how far it is counts as away: a frozen one would say nothing for ever. */
const answersWithinMs = 500
/** A replica that is away is left alone for this long. */
const restMs = 5_000

/**
 * Makes a function that runs a read on a replica that has all that the primary has committed, else on the primary. A read that fails on the replica
 * is repeated on the primary, unless it took too long.
 */
export function openReplica<Schema>(
  { log, metrics }: Pick<Service, 'log' | 'metrics'>,
  { pool, primary }: { pool: Pool; primary: Kysely<Schema> },
): <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T> {
  const replica = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const reads = metrics.counter(
    'herald_replica_reads_total',
    'Reads that were meant for the replica: `replica` answered, or the primary because the replica was `behind` or `failed`.',
    ['answer'],
  )
  let restsUntil = 0
  let isAway = false
  const rests = (error: unknown) => {
    restsUntil = performance.now() + restMs
    if (!isAway) log.warn({ err: error }, 'the replica is away: reads go to the primary')
    isAway = true
  }

  /** Whether the replica has what the primary had written at this position, now or soon. */
  const has = async (lsn: string): Promise<boolean> => {
    const until = performance.now() + patienceMs
    for (;;) {
      // A server that is a primary itself, as after a failover, has everything.
      const { rows } = await sql<{ there: boolean }>`
        select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn else true end as there`.execute(replica)
      if (rows[0]?.there) return true
      if (performance.now() >= until) return false
      await sleep(lookEveryMs)
    }
  }
  const throwNoAnswer = (): never => {
    throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
  }

  /** Runs a read on the replica; gives why the primary must answer when it must. */
  const onReplica = async <T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<{ answer: T } | 'behind' | 'failed'> => {
    if (performance.now() < restsUntil) return 'failed'
    const { rows } = await sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(primary)
    try {
      if (!(await waitAtMost(answersWithinMs, has(rows[0]?.lsn ?? ''), throwNoAnswer))) return 'behind'
      const answer = await work(replica)
      if (isAway) log.info('the replica is read again')
      isAway = false
      return { answer }
    } catch (error) {
      // A statement that took too long here would take too long there.
      if (Fault.is(error) || codeOf(error) === '57014') throw error
      // Anything else may be the replica's: 40001 when a row was removed under the read, 0A000 for what a replica does not have.
      if (isDatabaseAway(error) || isDatabaseBusy(error)) rests(error)
      return 'failed'
    }
  }
  return async (work) => {
    const answered = await onReplica(work)
    reads.inc({ answer: typeof answered === 'string' ? answered : 'replica' })
    return typeof answered === 'string' ? work(primary) : answered.answer
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
