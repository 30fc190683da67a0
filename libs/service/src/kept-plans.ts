import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'

/** Settings of a session, by their names in Postgres. */
export type Settings = Readonly<Record<string, string>>

/** Writes settings as a session takes them at its start (libpq, `options`). */
export const optionsOf = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** With this setting a connection plans a named statement once, for any values. */
export const plansToKeep: Settings = { plan_cache_mode: 'force_generic_plan' }
export const settingsForKeptPlans = optionsOf(plansToKeep)

/** The statements that get no name, because they need no plan. A statement without a name and values is one message to Postgres, and not several. */
const endsOrBegins: ReadonlySet<string> = new Set(['begin', 'commit', 'rollback'])
/**
 * At most this many statements have a kept plan, each of 50 to 200 KB in each connection. Others are planned each time, unless one was unused for an
 * hour: the tracker's statements name the partition of a day.
 */
const mostKept = 60
const forgottenAfterMs = 3_600_000
/** A connection ends after this time, and with it the plans of forgotten statements. */
export const keptForSeconds = 43_200

/**
 * Makes a pool whose connections keep plans: planning took 8.6 of the 12.2 ms of a send to one device. Only for statements whose plan is right for
 * any data, because plans made on empty tables stay (`plans*.integration.test.ts` check them).
 */
export function keepPlans(pool: pg.Pool): PostgresPool {
  /** Names by text, in the order of their last use. */
  const names = new Map<string, { name: string; usedAt: number }>()
  let given = 0
  const nameOf = (text: string): string | undefined => {
    const now = performance.now()
    const known = names.get(text)
    const [oldest] = names
    if (!known && names.size >= mostKept && oldest) {
      if (now - oldest[1].usedAt < forgottenAfterMs) return undefined
      names.delete(oldest[0])
    }
    const name = known?.name ?? `kept ${(given += 1)}`
    names.delete(text)
    names.set(text, { name, usedAt: now })
    return name
  }
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>
    function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
    function query(text: unknown, values: readonly unknown[] = []): unknown {
      if (typeof text !== 'string') throw new Error('a pool that keeps plans has no cursors')
      const name = endsOrBegins.has(text) ? undefined : nameOf(text)
      const answer = client.query({ text, values: [...values], ...(name !== undefined && { name }) })
      // The error says that a migration has changed the columns that the statement answers. Without its old name the statement is prepared anew.
      if (name !== undefined) answer.catch((error: unknown) => isOutdated(error) && names.delete(text))
      return answer
    }
    return { query, release: (destroy) => client.release(destroy) }
  }
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = wrapped.get(client) ?? wrap(client)
      wrapped.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

/** Says whether an error is Postgres's "cached plan must not change result type". */
const isOutdated = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '0A000'
