import { freshDatabase } from '@herald/testing/database'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { keepPlans, settingsForKeptPlans } from './kept-plans.ts'

const database = await freshDatabase()
const open = () => {
  const pool = new pg.Pool({ connectionString: database.ownerUrl, max: 1, options: settingsForKeptPlans })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool: keepPlans(pool) }) })
}
const db = open()
afterAll(() => db.destroy())
beforeEach(async () => {
  await sql`drop table if exists things`.execute(db)
  await sql`create table things (id int primary key, name text)`.execute(db)
})

const find = (id: number) => sql<{ id: number; name: string }>`select * from things where id = ${id}`.execute(db)

test('a statement that runs with three different values uses its kept plan each time, and answers each value rightly', async () => {
  await sql`insert into things select n, 'thing ' || n from generate_series(1, 10) n`.execute(db)
  for (const id of [1, 2, 3]) expect((await find(id)).rows).toEqual([{ id, name: `thing ${id}` }])

  const { rows } = await sql<{ plans: number }>`
    select generic_plans::int as plans from pg_prepared_statements where statement like 'select * from things%'`.execute(db)
  expect(rows).toEqual([{ plans: 3 }])
})

test('a statement whose columns a migration has changed fails once, and then answers with the new column', async () => {
  await sql`insert into things values (1, 'one')`.execute(db)
  await find(1)
  await sql`alter table things add column colour text`.execute(db)

  await expect(find(1)).rejects.toThrow('cached plan')
  expect((await find(1)).rows).toEqual([{ id: 1, name: 'one', colour: null }])
})

test('statements beyond the first sixty have no kept plan, and answer like all others', async () => {
  const db = open()
  for (let n = 0; n < 80; n += 1) {
    const { rows } = await sql`select ${n}::int as n, ${sql.lit(n)} as text`.execute(db)
    expect(rows).toEqual([{ n, text: n }])
  }
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_prepared_statements`.execute(db)
  expect(rows[0]?.count).toBeLessThanOrEqual(60)
  await db.destroy()
})

test('a statement takes the place of one that was not used for an hour', async () => {
  const db = open()
  const now = vi.spyOn(performance, 'now')
  for (let n = 0; n < 60; n += 1) await sql`select ${sql.lit(n)} as text`.execute(db)
  const kept = async (text: string) =>
    (await sql`select from pg_prepared_statements where statement = ${text}`.execute(db)).rows.length === 1
  await sql`select 'too many' as text`.execute(db)
  now.mockReturnValue(performance.now() + 3_600_001)
  await sql`select 'of the next day' as text`.execute(db)
  now.mockRestore()

  expect([await kept(`select 'too many' as text`), await kept(`select 'of the next day' as text`)]).toEqual([false, true])
  await db.destroy()
})
