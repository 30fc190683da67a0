import { eventSubjects } from '@herald/contracts/topology'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { announcementsOf } from './announce.ts'
import { deleteAnnouncements, mostRepeated } from '@herald/service/announcements'
import { takeDue } from './announce.ts'
import { insertAnnouncements } from './store/announcements.ts'
import type { Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('tracker', {}), { url: url('tracker'), poolSize: 2 })
const event = () => ({ type: 'notification.sent' as const, at: new Date().toISOString(), appId: newId(), campaignId: newId() })
const makeDue = () => sql`update announcements set due_at = now() - interval '1 second'`.execute(db)
async function sweep(): Promise<string[]> {
  const repeated: string[] = []
  for (let taken = await takeDue(db, 20); taken.length > 0; taken = await takeDue(db, 20)) repeated.push(...taken.map(({ id }) => id))
  return repeated
}

// spec: webhooks/announced-until-confirmed
test('while webhooks confirms no announcement only the same 200 are repeated; each confirmed one admits another', async () => {
  await insertAnnouncements(db, Array.from({ length: 500 }, () => announcementsOf(eventSubjects.pushSettled, [event()])).flat())
  await makeDue()
  const first = await sweep()
  expect(new Set(first).size).toBe(mostRepeated)
  expect(first).toHaveLength(mostRepeated)

  await makeDue()
  expect(new Set(await sweep())).toEqual(new Set(first))

  await deleteAnnouncements(db, first.slice(0, 50))
  await makeDue()
  const next = await sweep()
  expect(next).toHaveLength(mostRepeated)
  expect(next.filter((id) => !first.includes(id))).toHaveLength(50)
})

test('announcements unconfirmed at their ninth repeat hold up no others, and are repeated once an hour', async () => {
  await sql`update announcements set pointer_no = 9 where pointer_no > 0`.execute(db)
  await makeDue()
  const repeated = await sweep()
  expect(repeated).toHaveLength(2 * mostRepeated)
  const { rows } = await sql<{ pointer_no: number; seconds: number }>`
    select pointer_no, max(extract(epoch from due_at - now()))::float8 as seconds from announcements where pointer_no > 0 group by 1`.execute(
    db,
  )
  expect(rows.find(({ pointer_no }) => pointer_no === 10)?.seconds).toBeGreaterThan(3_000)
  expect(rows.find(({ pointer_no }) => pointer_no === 1)?.seconds).toBeLessThan(60)
})
