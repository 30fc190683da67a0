import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { dropOldAnnouncements } from './bound-announcements.ts'
import { openDatabase } from './postgres.ts'

const { url } = await freshDatabase()
const hour = 3_600_000

// spec: webhooks/announced-until-confirmed
test.each(['tracker', 'audience'] as const)('%s drops its oldest announcements when they are too old or too large in all', async (app) => {
  const { db } = await openDatabase(testService(app, {}), { url: url(app), poolSize: 2 })
  // The text is random, because Postgres cannot compress random text, so the size of a row is known.
  const insert = (id: string) =>
    sql`
      insert into announcements (id, subject, body, due_at)
      select ${id}, 'event.push.settled', ('["' || string_agg(md5(random()::text), '') || '"]')::${sql.raw(app === 'tracker' ? 'text' : 'jsonb')}, now()
      from generate_series(1, 300)`.execute(db)
  const ids = Array.from({ length: 12 }, (_, no) => newId(new Date(Date.now() - (60 - no * 5) * hour)))
  for (const id of ids) await insert(id)
  const left = async () => (await sql<{ id: string }>`select id from announcements order by id`.execute(db)).rows.map(({ id }) => id)
  const drop = (mostBytes: number, limit = 100) => dropOldAnnouncements(db, { mostBytes, hours: 48, limit })

  // The announcements were made 60, 55, 50 … hours ago.
  expect(await drop(1_000_000, 2)).toBe(2)
  expect(await drop(1_000_000)).toBe(1)
  expect(await drop(1_000_000)).toBe(0)
  expect(await left()).toEqual(ids.slice(3))

  // Each announcement has about 9,600 bytes.
  expect(await drop(50_000)).toBe(4)
  expect(await left()).toEqual(ids.slice(7))
  expect(await drop(50_000)).toBe(0)
})
