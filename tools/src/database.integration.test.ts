import { maxConnections } from '@herald/embedded/postgres'
import { freshDatabase } from '@herald/testing/database'
import { expect, onTestFinished, test } from 'vitest'
import pg from 'pg'
import { ownersOf } from './apps.ts'
import { checkConnections, connectionsNeeded, prepareDatabase } from './database.ts'
import { parseInstances } from './instances.ts'

// spec: running/connections

test('the embedded Postgres allows the connections of three processes of each service; with more processes more connections are needed', () => {
  expect(connectionsNeeded(parseInstances('audience=3,campaigns=3,tracker=3,webhooks=3,gateway=3'), 8)).toBeLessThanOrEqual(maxConnections)
  expect(connectionsNeeded(parseInstances('audience=4'), 8)).toBeGreaterThan(connectionsNeeded(parseInstances('audience=3'), 8))
})

test('a Postgres that allows too few connections for all pools is refused at the start, and the error has both numbers', async () => {
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
