import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteAnnouncements, mostRepeated, takeDueAnnouncements } from '@herald/service/announcements'
import { insertAnnouncements } from './store/announcements.ts'
import { millisecondsUntilDue } from './store/due.ts'
import type { Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('audience', {}), { url: url('audience'), poolSize: 2 })
const makeDue = () => sql`update announcements set due_at = now() - interval '1 second'`.execute(db)
async function sweep(): Promise<string[]> {
  const repeated: string[] = []
  for (let taken = await takeDueAnnouncements(db, 60); taken.length > 0; taken = await takeDueAnnouncements(db, 60))
    repeated.push(...taken.map(({ id }) => id))
  return repeated
}

test('while webhooks confirms nothing only 200 announcements are repeated, and the sweep does not run without a pause', async () => {
  const subject = eventSubjects.subscriptionInvalidated
  await insertAnnouncements(
    db,
    Array.from({ length: 300 }, () => ({ id: newId(), subject, body: [] })),
  )
  await makeDue()
  const first = await sweep()
  expect(first).toHaveLength(mostRepeated)
  expect(await millisecondsUntilDue(db)).toBeGreaterThan(0)

  await deleteAnnouncements(db, first.slice(0, 30))
  expect(await sweep()).toHaveLength(30)
})
