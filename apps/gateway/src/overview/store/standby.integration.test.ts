import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@herald/embedded/postgres'
import { openDatabase } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { readStandby } from './standby.ts'

// spec: administration/system
test('a standby is seen by a service’s role, and counts as synchronous once commits wait for it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-standby-'))
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false })
  onTestFinished(async () => {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  const open = async (url: string) => (await openDatabase(testService('gateway', {}), { url, poolSize: 2 })).db
  const owner = await open(postgres.url())
  await sql`create role service login`.execute(owner)
  const address = new URL(postgres.url())
  address.username = 'service'
  const db = await open(address.href)
  expect(await readStandby(db)).toBe('none')

  // A standby, too, opens a connection for replication first (Postgres manual, 54.4).
  await open(`${postgres.url()}?replication=database`)
  await until(async () => (await readStandby(db)) === 'asynchronous', { what: 'the standby is seen' })
  await sql`alter system set synchronous_standby_names = '*'`.execute(owner)
  await sql`select pg_reload_conf()`.execute(owner)
  await until(async () => (await readStandby(db)) === 'synchronous', { what: 'commits wait for the standby' })
})
