import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@herald/embedded/postgres'
import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import pg from 'pg'

/** The platform as `npm start` runs it, with an additional connection of the database's owner that is used only for measuring. */
export type MeasuredHerald = Herald & {
  database: pg.Client
  /** Gives the database address of a service, with its role and its schema. */
  databaseUrl(app: string): string
  /** Stops everything and removes the data. */
  end(): Promise<void>
}

/**
 * Starts a platform on a new data directory. With `statements` its Postgres counts every statement (pg_stat_statements), which takes some
 * microseconds for each. So figures with `statements` are not compared with figures without it.
 */
export async function startMeasuredHerald({
  statements = false,
  env = {},
}: { statements?: boolean; env?: Record<string, string> } = {}): Promise<MeasuredHerald> {
  const dataDir = mkdtempSync(join(tmpdir(), 'herald-bench-'))
  try {
    if (statements) await prepareToCount(join(dataDir, 'postgres'))
    const herald = await startHerald({ dataDir, env: { LOG_LEVEL: 'warn', ...env } })
    const { passwords } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { passwords: Record<string, string> }
    const { postgres } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { postgres: number }
    const url = (user: string, password: string) => `postgres://${user}:${password}@127.0.0.1:${postgres}/herald`
    const ownerPassword = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
    const database = new pg.Client({ connectionString: url('postgres', ownerPassword), application_name: 'bench' })
    await database.connect()
    // When the platform stops, Postgres ends while this connection is open, which must not count as an error.
    database.on('error', () => undefined)
    if (statements) await database.query('create extension if not exists pg_stat_statements')
    return {
      ...herald,
      database,
      databaseUrl: (app) => url(`herald_${app}`, passwords[app] ?? ''),
      async end() {
        await database.end()
        await herald.stop()
        removeDataDir(dataDir)
      },
    }
  } catch (error) {
    removeDataDir(dataDir)
    throw error
  }
}

/** Makes the Postgres cluster before the platform starts, so that Postgres loads the library of pg_stat_statements at its first start. */
async function prepareToCount(dataDir: string): Promise<void> {
  const server = await startPostgres({ dataDir, durable: true, database: 'herald' })
  const owner = new pg.Client({ connectionString: server.url() })
  await owner.connect()
  await owner.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await owner.end()
  await server.stop()
}
