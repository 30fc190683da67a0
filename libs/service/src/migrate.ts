import { readdirSync } from 'node:fs'
import { parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runner } from 'node-pg-migrate'
import pg from 'pg'

// A migration that waits for a table's lock makes every statement behind it wait too. It gives up before a service that waits for one of its locks
// looks for a deadlock, after 1 s (deadlock_timeout of Postgres), so that no request is ended for it.
const lockWaitMs = 500
/** Between two tries others get the lock. */
const againAfterMs = 1_000

/**
 * Runs the new SQL files of a service's `migrations/` as its own role, and gives their names. A second process waits. A lock is tried again for
 * `patienceMs`. Never edit a released file. A database before 0.2.0 is refused.
 */
export async function migrate({
  ownerUrl,
  app,
  directory,
  patienceMs = 300_000,
}: {
  ownerUrl: string
  app: string
  directory: string
  patienceMs?: number
}): Promise<string[]> {
  const lastTryAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await tryToMigrate({ ownerUrl, app, directory })
    } catch (error) {
      if (!isLocked(error)) throw error
      if (performance.now() > lastTryAt)
        throw new Error(`A table of ${app} is locked, so its migrations cannot run: end the long transaction (pg_stat_activity).`, {
          cause: error,
        })
    }
    await sleep(againAfterMs)
  }
}

/** Each try has a connection of its own, because a runner that failed leaves its transaction and its lock behind. */
async function tryToMigrate({ ownerUrl, app, directory }: { ownerUrl: string; app: string; directory: string }): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000, application_name: 'herald-migrate' })
  await client.connect()
  try {
    await client.query(`set role ${pg.escapeIdentifier(await roleOf(client, app))}`)
    await client.query(`set lock_timeout = ${lockWaitMs}`)
    await refuseOlderThanFirstFile(client, app, directory)
    const ran = await runner({
      dbClient: client,
      dir: directory,
      direction: 'up',
      migrationsTable: 'migrations',
      schema: app,
      migrationsSchema: app,
      advisoryLockMode: 'wait',
      // Each file is a transaction, so that none holds the locks of those before it.
      singleTransaction: false,
      log: () => undefined,
    })
    return ran.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/**
 * Throws when a version before 0.2.0 made the database: files ran that this version does not have, and its first file did not. After a newer version,
 * whose files this one does not have either, the first file did run.
 */
async function refuseOlderThanFirstFile(client: pg.Client, app: string, directory: string): Promise<void> {
  const table = `${pg.escapeIdentifier(app)}.migrations`
  const { rows: tables } = await client.query('select where to_regclass($1) is not null', [table])
  if (tables.length === 0) return
  const { rows } = await client.query<{ name: string }>(`select name from ${table} order by id`)
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => parse(file).name)
    .toSorted()
  const ran = rows.map(({ name }) => name)
  const unknown = ran.find((name) => !files.includes(name))
  if (unknown === undefined || files[0] === undefined || ran.includes(files[0])) return
  throw new Error(
    `A version of Herald before 0.2.0 made the tables of ${app} in this database (with ${unknown}.sql). There is no upgrade from a version before ` +
      `0.2.0, so no table was changed. Start with an empty database: docs/operations.md, "Upgrade without downtime".`,
  )
}

async function roleOf(client: pg.Client, app: string): Promise<string> {
  const { rows } = await client.query<{ owner: string }>('select nspowner::regrole::text as owner from pg_namespace where nspname = $1', [
    app,
  ])
  const owner = rows[0]?.owner
  if (!owner) throw new Error(`There is no schema "${app}" in this database: provision makes it.`)
  return owner.replace(/^"(.*)"$/, '$1')
}

/** Whether a statement gave up waiting for a lock (Postgres, appendix A: 55P03 lock_not_available, 40P01 deadlock_detected). */
const isLocked = (error: unknown): boolean => error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '40P01')
