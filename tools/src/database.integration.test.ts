import { maxConnections } from '@herald/embedded/postgres'
import { freshDatabase } from '@herald/testing/database'
import { expect, test } from 'vitest'
import { checkConnections, connectionsNeeded } from './database.ts'
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
