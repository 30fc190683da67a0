import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from './postgres.ts'

const database = await freshDatabase()
const { db } = await openDatabase<Record<string, never>>(testService('audience', {}), { url: database.url('audience'), poolSize: 1 })

const prepared = async () =>
  (await sql<{ name: string; generic_plans: number }>`select name, generic_plans from pg_prepared_statements`.execute(db)).rows

test('a statement that asks for it is prepared once per connection and planned no more from the sixth time on; others are not prepared', async () => {
  for (let n = 1; n <= 8; n += 1) {
    const { rows } = await sql<{ twice: number }>`/* plan kept: twice */ select ${n}::int * 2 as twice`.execute(db)
    expect(rows).toEqual([{ twice: n * 2 }])
    await sql`select ${n}::int * 3 as thrice`.execute(db)
  }

  expect(await prepared()).toEqual([{ name: 'twice', generic_plans: 3 }])
})

test('two texts under one name are an error', async () => {
  await sql`/* plan kept: sum */ select ${1}::int + 1`.execute(db)

  await expect(sql`/* plan kept: sum */ select ${1}::int + 2`.execute(db)).rejects.toThrow(/Prepared statements must be unique/)
})
