import { runner } from 'node-pg-migrate'
import pg from 'pg'

/**
 * Brings a service's schema up to date with the SQL files of its `migrations/` folder, and gives the names of the files that ran now. The files run
 * as the service's own role, which therefore owns the tables. When two processes migrate at once, the second waits. A file is never edited after a
 * release.
 */
export async function migrate({ ownerUrl, app, directory }: { ownerUrl: string; app: string; directory: string }): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000, application_name: 'herald-migrate' })
  await client.connect()
  try {
    await client.query(`set role ${pg.escapeIdentifier(await roleOf(client, app))}`)
    const ran = await runner({
      dbClient: client,
      dir: directory,
      direction: 'up',
      migrationsTable: 'migrations',
      schema: app,
      migrationsSchema: app,
      advisoryLockMode: 'wait',
      log: () => undefined,
    })
    return ran.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

async function roleOf(client: pg.Client, app: string): Promise<string> {
  const { rows } = await client.query<{ owner: string }>('select nspowner::regrole::text as owner from pg_namespace where nspname = $1', [
    app,
  ])
  const owner = rows[0]?.owner
  if (!owner) throw new Error(`There is no schema "${app}" in this database: provision makes it.`)
  return owner.replace(/^"(.*)"$/, '$1')
}
