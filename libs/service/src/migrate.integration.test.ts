import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freshDatabase } from '@herald/testing/database'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from './migrate.ts'

const { ownerUrl } = await freshDatabase()

/** A folder with the migrations of campaigns and one more, which needs the lock of a table that somebody reads in a long transaction. */
async function givenLockedTable() {
  const directory = mkdtempSync(join(tmpdir(), 'herald-migrations-'))
  cpSync(resolve(import.meta.dirname, '../../../apps/campaigns/migrations'), directory, { recursive: true })
  const column = `added_${crypto.randomUUID().slice(0, 8)}`
  const name = `9000_${column}`
  writeFileSync(join(directory, `${name}.sql`), `alter table campaigns add column ${column} text;`)
  const [reader, other] = [new pg.Client({ connectionString: ownerUrl }), new pg.Client({ connectionString: ownerUrl })]
  await Promise.all([reader.connect(), other.connect()])
  onTestFinished(async () => {
    rmSync(directory, { recursive: true })
    await Promise.all([reader.end(), other.end()])
  })
  await reader.query('begin')
  await reader.query('select count(*) from campaigns.campaigns')
  const waits = async () =>
    (await other.query(`select from pg_locks where not granted and relation = 'campaigns.campaigns'::regclass`)).rows.length
  return { run: (patienceMs = 60_000) => migrate({ ownerUrl, app: 'campaigns', directory, patienceMs }), name, reader, other, waits }
}

// spec: running/migrations-wait-briefly
test('a migration that gets no lock says what to do', async () => {
  const { run } = await givenLockedTable()
  await expect(run(0)).rejects.toThrow('A table of campaigns is locked')
})

// spec: running/migrations-wait-briefly
test('a migration that needs a locked table lets others have it after 2 s, and runs when the lock is free', async () => {
  const { run, name, reader, other, waits } = await givenLockedTable()
  const ran = run()
  await expect.poll(waits).toBe(1)

  // This read waits behind the migration.
  const startedAt = performance.now()
  await other.query('select count(*) from campaigns.campaigns')
  expect(performance.now() - startedAt).toBeLessThan(4_000)
  await reader.query('commit')

  expect(await ran).toEqual([name])
})
