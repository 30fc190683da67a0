import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse, resolve } from 'node:path'
import { freshDatabase } from '@herald/testing/database'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from './migrate.ts'

const { ownerUrl } = await freshDatabase()
const directoryOf = (app: string) => resolve(import.meta.dirname, '../../../apps', app, 'migrations')

/** A folder with the migrations of campaigns and one more, which needs the lock of a table that somebody reads in a long transaction. */
async function givenLockedTable() {
  const directory = mkdtempSync(join(tmpdir(), 'herald-migrations-'))
  cpSync(directoryOf('campaigns'), directory, { recursive: true })
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
test('a migration that needs a locked table lets others have it after 2 s, and runs once free', async () => {
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

/** Says that these files have run in a service's schema, and no others. Gives a client of the owner and what the schema's migrations and tables are. */
async function givenFilesThatRan(app: string, names: string[]) {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`delete from ${app}.migrations`)
  await client.query(`insert into ${app}.migrations (name, run_on) select name, now() from unnest($1::text[]) as name`, [names])
  return async () => {
    const { rows: files } = await client.query<{ name: string }>(`select * from ${app}.migrations order by id`)
    const { rows: tables } = await client.query(
      'select relname, relkind, relnatts from pg_class where relnamespace = $1::regnamespace order by 1',
      [app],
    )
    return { files, tables }
  }
}

test('a database that a version before 0.2.0 made is refused with a remedy, and stays as it was', async () => {
  const state = await givenFilesThatRan('webhooks', ['0001_nothing_yet', '0002_endpoints_and_deliveries'])
  const before = await state()
  const run = migrate({ ownerUrl, app: 'webhooks', directory: directoryOf('webhooks') })
  await expect(run).rejects.toThrow(
    'A version of Herald before 0.2.0 made the tables of webhooks in this database (with 0001_nothing_yet.sql). There is no upgrade from a version ' +
      'before 0.2.0, so no table was changed. Start with an empty database: docs/operations.md, "Upgrade without downtime".',
  )
  expect(await state()).toEqual(before)
})

test('an older version starts on a newer one’s database, with migrations unknown to it, and leaves it', async () => {
  const known = readdirSync(directoryOf('gateway')).map((file) => parse(file).name)
  const state = await givenFilesThatRan('gateway', [...known.toSorted(), '0901_of_a_newer_version', '0902_of_a_newer_version'])
  const before = await state()
  expect(await migrate({ ownerUrl, app: 'gateway', directory: directoryOf('gateway') })).toEqual([])
  expect(await state()).toEqual(before)
})
