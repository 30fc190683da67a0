import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppWithDatabase } from '@herald/contracts/call'
import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import pg from 'pg'
import { familyOf, runningProcesses, signalAll } from './processes.ts'

export type Platform = { herald: Herald; tenant: Tenant }

/** `launcher`: a command that runs the starter, for example with another file system. */
type Options = { launcher?: string[] }

/**
 * Runs work on a platform that is started for it, with one app. Afterwards, even when the work fails, the platform is thawed and stopped, and its
 * data are deleted.
 */
export async function onPlatform<T>(
  env: Record<string, string>,
  work: (platform: Platform) => Promise<T>,
  options: Options = {},
): Promise<T> {
  const dataDir = freshDataDir()
  try {
    return await onDataDirectory(dataDir, env, work, options)
  } finally {
    removeDataDir(dataDir)
  }
}

/** Runs work on a platform as `onPlatform` does, on a given data directory, which is not deleted. */
export async function onDataDirectory<T>(
  dataDir: string,
  env: Record<string, string>,
  work: (platform: Platform) => Promise<T>,
  options: Options = {},
): Promise<T> {
  const herald = await startHerald({ dataDir, env, ...options })
  try {
    const tenant = await givenTenant(herald)
    // The simulator's limit on new provider tokens of APNs is raised, because it is not tested here.
    await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
    return await work({ herald, tenant })
  } finally {
    for (const pid of runningProcesses(dataDir).values()) signalAll(familyOf(pid), 'SIGCONT')
    await herald.stop()
  }
}

/** Runs work on the platform's database as its superuser, for data that no API shows. */
export async function onDatabase<T>(herald: Herald, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: ownerUrlOf(herald),
    connectionTimeoutMillis: 2_000,
    query_timeout: 60_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Gives the address of the database's owner. */
export function ownerUrlOf({ dataDir, ownerUrl }: Herald): string {
  if (ownerUrl !== undefined) return ownerUrl
  const { postgres } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { postgres: number }
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${postgres}/herald`
}

/** Gives the database URL of a service's role. */
export function addressOf({ dataDir }: Herald, app: AppWithDatabase): string {
  const { passwords } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { passwords: Record<string, string> }
  const { postgres } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { postgres: number }
  return `postgres://herald_${app}:${encodeURIComponent(passwords[app] ?? '')}@127.0.0.1:${postgres}/herald`
}
