import { join } from 'node:path'
import { migrate } from '@herald/service/migrate'
import { keptConnections, readConnections, readConnectionsOfAudience } from '@herald/service/postgres'
import { makeOwnSchema, provision } from '@herald/service/provision'
import { Client } from 'pg'
import { appsWithDatabase, type Owners } from './apps.ts'
import type { AppName, AppWithDatabase } from '@herald/contracts/call'
import { StartError } from './start-error.ts'
import { root } from './workspace.ts'

/**
 * The connection with which each process watches the database. It comes in addition to the connections of the three pools: for work, for the
 * statements of each send, and for reads.
 */
const watchConnections = 1
/** Connections that the services leave free: for migrations, for an operator with a client, and for superusers, for whom Postgres reserves some. */
const spareConnections = 10

/** Computes how many connections these services can open at once. */
export function connectionsNeeded(
  instances: Record<AppName, number>,
  poolSize: number,
  of: readonly AppWithDatabase[] = appsWithDatabase,
): number {
  const processes = of.reduce((sum, app) => sum + instances[app], 0)
  const more = of.includes('audience') ? instances.audience * (readConnectionsOfAudience - readConnections) : 0
  return processes * (poolSize + keptConnections + readConnections + watchConnections) + more + spareConnections
}

/**
 * Refuses to start when Postgres allows fewer connections than the pools need. Otherwise random calls would fail with `database_unavailable` under
 * load.
 */
export async function checkConnections(ownerUrl: string, needed: number): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 })
  try {
    await owner.connect()
    const { rows } = await owner.query<{ most: number }>(`select current_setting('max_connections')::int as most`)
    const most = rows[0]?.most ?? 0
    if (most >= needed) return
    throw new StartError(
      `The services may open ${needed} connections and this Postgres allows ${most}. Raise max_connections, or lower DATABASE_POOL_SIZE or HERALD_INSTANCES.`,
    )
  } catch (error) {
    throw explainDatabaseError(ownerUrl, error)
  } finally {
    await owner.end().catch(() => undefined)
  }
}

/** Gives the servers of these owners, each with the services whose schemas it has. */
export const serversOf = (owners: Owners): [ownerUrl: string, apps: AppWithDatabase[]][] => [
  ...Map.groupBy(appsWithDatabase, (app) => owners[app]),
]

/**
 * Makes each service's role and schema, brings its tables up to date and gives each service's database address. Without `passwords` the roles are
 * given, and `owners` are the addresses of the services.
 */
export async function prepareDatabase(
  owners: Owners,
  passwords: Record<string, string> | undefined,
  migrationsOf = (app: AppName) => join(root, 'apps', app, 'migrations'),
): Promise<Record<string, string>> {
  if (passwords === undefined) {
    for (const app of appsWithDatabase) {
      await makeOwnSchema({ url: owners[app], app })
      await migrate({ ownerUrl: owners[app], app, directory: migrationsOf(app) })
    }
    return owners
  }
  const urls: Record<string, string> = {}
  for (const [ownerUrl, apps] of serversOf(owners)) {
    Object.assign(urls, await provision({ ownerUrl, apps, passwords }))
    for (const app of apps) await migrate({ ownerUrl, app, directory: migrationsOf(app) })
  }
  return urls
}

/** Makes an error that names the address of the database and no password. */
export function explainDatabaseError(ownerUrl: string, error: unknown): unknown {
  if (error instanceof StartError || !(error instanceof Error)) return error
  const { host, pathname } = new URL(ownerUrl)
  const code = 'code' in error ? ` (${String(error.code)})` : ''
  // The error shows only the code of the driver's error, whose message may quote the address with its password.
  return new StartError(
    `Postgres at ${host}${pathname} does not let the owner in${code} (DATABASE_URL, DATABASE_OWNER_URL_<SERVICE>). Check that it runs, and the user, the password and the database.`,
  )
}
