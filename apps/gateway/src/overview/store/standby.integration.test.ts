import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@herald/embedded/postgres'
import { until } from '@herald/testing/until'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readStandby } from './standby.ts'

// spec: administration/system
test('a standby is seen by a service’s role, and counts as synchronous once commits wait for it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-standby-'))
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false })
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  await owner.query('create role service login')
  const address = new URL(postgres.url())
  address.username = 'service'
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: address.href, max: 1 }) }) })
  // This is what a standby opens first (Postgres manual, 54.4 Streaming Replication Protocol).
  const standby = new pg.Client({ connectionString: postgres.url(), replication: 'true' } as pg.ClientConfig)
  onTestFinished(async () => {
    await Promise.all([db.destroy(), owner.end(), standby.end()])
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  expect(await readStandby(db)).toBe('none')
  await standby.connect()
  await until(async () => (await readStandby(db)) === 'asynchronous', { what: 'the standby is seen' })
  await owner.query(`alter system set synchronous_standby_names = '*'`)
  await owner.query('select pg_reload_conf()')
  await until(async () => (await readStandby(db)) === 'synchronous', { what: 'commits wait for the standby' })
})
