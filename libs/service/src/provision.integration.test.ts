import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@herald/embedded/postgres'
import { atEnd } from '@herald/testing/at-end'
import pg from 'pg'
import { expect, test } from 'vitest'
import { provision } from './provision.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-provision-'))
const server = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false, database: 'herald' })
atEnd(async () => {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})
const ownerUrl = server.url('herald')

async function onServer(url: string, statement = 'select 1'): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.query(statement)
    return 'connected'
  } catch (error) {
    return String((error as { code?: string }).code)
  } finally {
    await client.end().catch(() => undefined)
  }
}
const at = (url: string, database: string, user?: string) => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  if (user !== undefined) changed.username = user
  return changed.href
}
const refused = '42501'

// spec: running/database-alone
test('a service can connect to Herald’s database alone; other roles of the server keep their rights', async () => {
  const apps = ['gateway', 'tracker']
  await onServer(ownerUrl, `create role monitor login password 'monitor-password'`)
  const monitor = new URL(at(ownerUrl, 'postgres', 'monitor'))
  monitor.password = 'monitor-password'

  const shared = await provision({ ownerUrl, apps, passwords: {} })
  expect(await onServer(monitor.href)).toBe('connected')
  expect(await onServer(at(shared['tracker'] ?? '', 'postgres'))).toBe('connected')

  await onServer(ownerUrl, 'drop role monitor')
  const own = await provision({ ownerUrl, apps, passwords: {} })
  for (const app of apps) {
    const url = own[app] ?? ''
    expect([app, await onServer(url)]).toEqual([app, 'connected'])
    for (const database of ['postgres', 'template1'])
      expect([app, database, await onServer(at(url, database))]).toEqual([app, database, refused])
  }
  expect(await onServer(at(ownerUrl, 'postgres'))).toBe('connected')
})
