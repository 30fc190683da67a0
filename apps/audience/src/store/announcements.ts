import type { Event } from '@herald/contracts/event'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

export type AnnouncementRow = { id: string; subject: string; body: Event[]; pointerNo: number }

export const insertAnnouncements = (db: Db, announcements: { id: string; subject: string; body: Event[] }[]) =>
  db
    .insertInto('announcements')
    .values(announcements.map(({ id, subject, body }) => ({ id, subject, body: JSON.stringify(body) })))
    .execute()

/** Takes announcements that nobody has confirmed in time. */
export async function takeDueAnnouncements(db: Db, limit: number): Promise<AnnouncementRow[]> {
  const { rows } = await sql<AnnouncementRow>`
    with due as (
      select id from announcements where due_at <= now() order by due_at limit ${limit} for update skip locked
    )
    update announcements a set pointer_no = pointer_no + 1, due_at = now() + make_interval(secs => least(5 * (pointer_no + 2), 15))
    from due where a.id = due.id
    returning a.id, a.subject, a.body, a.pointer_no as "pointerNo"`.execute(db)
  return rows
}

export const deleteAnnouncements = (db: Db, ids: string[]) => db.deleteFrom('announcements').where('id', 'in', ids).execute()
