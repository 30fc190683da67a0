import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxConnections, startPostgres } from '@herald/embedded/postgres'
import { freshDatabase } from '@herald/testing/database'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test, vi } from 'vitest'
import pg from 'pg'
import { appsWithDatabase, databaseVariable, ownersOf } from './apps.ts'
import { checkConnections, connectionsNeeded, prepareDatabase } from './database.ts'
import { parseInstances } from './instances.ts'

// spec: running/connections

test('the embedded Postgres allows the connections of three processes of each service; with more processes more connections are needed', () => {
  expect(connectionsNeeded(parseInstances('audience=3,campaigns=3,tracker=3,webhooks=3,gateway=3'), 8)).toBeLessThanOrEqual(maxConnections)
  expect(connectionsNeeded(parseInstances('audience=4'), 8)).toBeGreaterThan(connectionsNeeded(parseInstances('audience=3'), 8))
})

test('a Postgres with too few connections for all pools is refused at the start, with both numbers', async () => {
  const { ownerUrl } = await freshDatabase()
  await expect(checkConnections(ownerUrl, 50)).resolves.toBeUndefined()
  await expect(checkConnections(ownerUrl, 100_000)).rejects.toThrow(
    /^The services may open 100000 connections and this Postgres allows \d+\. Raise max_connections, or lower DATABASE_POOL_SIZE or HERALD_INSTANCES\.$/,
  )
})

// spec: running/server-per-service
test(
  'a service with an owner address of its own gets its schema on that server, and no other service does',
  { timeout: 120_000 },
  async () => {
    const { ownerUrl } = await freshDatabase()
    const connect = async (url: string) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      onTestFinished(() => client.end())
      return client
    }
    const owner = await connect(ownerUrl)
    const [shared, ofTracker] = ['shared', 'tracker_alone'].map((name) => Object.assign(new URL(ownerUrl), { pathname: `/${name}` }).href)
    for (const name of ['shared', 'tracker_alone']) await owner.query(`create database ${name}`)

    const passwords = Object.fromEntries(['audience', 'campaigns', 'gateway', 'tracker', 'webhooks'].map((app) => [app, `of-${app}`]))
    const urls = await prepareDatabase(ownersOf(shared ?? '', { DATABASE_OWNER_URL_TRACKER: ofTracker }), passwords)

    expect(Object.entries(urls).map(([app, url]) => [app, new URL(url).pathname])).toEqual(
      expect.arrayContaining([
        ['tracker', '/tracker_alone'],
        ['gateway', '/shared'],
      ]),
    )
    await expect((await connect(urls['tracker'] ?? '')).query('select from ledger_batches')).resolves.toMatchObject({ rowCount: 0 })
    const schemas = async (url: string) => {
      const { rows } = await (
        await connect(url)
      ).query<{ name: string }>(
        `select schema_name as name from information_schema.schemata where schema_name = any(array['audience', 'campaigns', 'gateway', 'tracker', 'webhooks']) order by 1`,
      )
      return rows.map(({ name }) => name)
    }
    expect(await schemas(ofTracker ?? '')).toEqual(['tracker'])
    expect(await schemas(shared ?? '')).toEqual(['audience', 'campaigns', 'gateway', 'webhooks'])
  },
)

// spec: running/given-roles
test('where roles are given none is made: each service has its address, and PGPASSFILE its password', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'herald-roles-'))
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true, database: 'managed' })
  onTestFinished(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const owner = new pg.Client({ connectionString: Object.assign(new URL(server.url()), { pathname: '/managed' }).href })
  await owner.connect()
  onTestFinished(() => owner.end())
  const file = join(folder, 'passwords')
  const setPassword = async (password: string) => {
    for (const app of appsWithDatabase) await owner.query(`alter role "role of ${app}" password '${password}'`)
    writeFileSync(file, `127.0.0.1:*:*:*:${password}\n`, { mode: 0o600 })
  }
  for (const app of appsWithDatabase) await owner.query(`create role "role of ${app}" login nosuperuser nocreaterole`)
  await setPassword('the-first')
  vi.stubEnv('PGPASSFILE', file)
  onTestFinished(() => void vi.unstubAllEnvs())
  const addressOf = (app: string) =>
    Object.assign(new URL(server.url()), { username: encodeURIComponent(`role of ${app}`), password: '', pathname: '/managed' }).href
  const given = { DATABASE_ROLES: 'given', ...Object.fromEntries(appsWithDatabase.map((app) => [databaseVariable(app), addressOf(app)])) }

  await expect(prepareDatabase(ownersOf('', given), undefined)).rejects.toThrow(
    'Let an owner of the database run: create schema gateway authorization "role of gateway";',
  )
  for (const app of appsWithDatabase) await owner.query(`create schema ${app} authorization "role of ${app}"`)
  const urls = await prepareDatabase(ownersOf('', given), undefined)

  expect(urls).toEqual(Object.fromEntries(appsWithDatabase.map((app) => [app, addressOf(app)])))
  const { rows } = await owner.query<{ name: string }>(`select rolname as name from pg_roles where rolcanlogin and not rolsuper order by 1`)
  expect(rows.map(({ name }) => name)).toEqual(appsWithDatabase.map((app) => `role of ${app}`).toSorted())

  const pool = new pg.Pool({ connectionString: urls['tracker'] ?? '' })
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  const ledger = () => pool.query('select from ledger_batches')
  await ledger()
  await setPassword('the-second')
  await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'role of tracker'`)
  await until(async () => await ledger(), { what: 'the next connection has the new password' })

  expect(() => ownersOf('', { DATABASE_ROLES: 'given' })).toThrow(
    'DATABASE_ROLES is given, and these addresses are not: DATABASE_URL_GATEWAY',
  )
  expect(() => ownersOf('', { DATABASE_ROLES: 'yes' })).toThrow('DATABASE_ROLES is yes: it must be made or given.')
})
