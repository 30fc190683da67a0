import type { Announcement } from '@herald/contracts/event'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

export type AnnouncementRow = { id: string; subject: string; body: Announcement; pointer_no: number }

/** Announcements as statements of migrations/0090 take them. */
export const asJson = (announcements: AnnouncementRow[]): string =>
  JSON.stringify(announcements.map(({ id, subject, body }) => ({ id, subject, body: JSON.stringify(body) })))

/** Promises to tell webhooks; published right after the commit, else by the sweep 5 s later. */
export async function insertAnnouncements(db: Db, announcements: AnnouncementRow[]): Promise<void> {
  if (announcements.length > 0) await sql`select insert_announcements(${asJson(announcements)}::json)`.execute(db)
}

/** Repeated and not confirmed: so many at a time, until webhooks confirms some. Up to ~300 kB each. */
export const mostRepeated = 200
/** After so many repeats, about half an hour, an announcement holds up no other any more. */
const repeatsInWindow = 8

/**
 * Takes announcements that nobody confirmed, to repeat them. They come again after 10, 20, 40 … s, at most 5 minutes, and once an hour later
 * on: unlike a pointer an announcement is heavy, and webhooks being away must not be answered with copies of its whole backlog. So only
 * `mostRepeated` are repeated at a time; the others wait until some of these are confirmed, or have been repeated for half an hour.
 */
export async function takeDueAnnouncements(db: Db, limit: number): Promise<AnnouncementRow[]> {
  const { rows } = await sql<Omit<AnnouncementRow, 'body'> & { body: string }>`
    with again as (
      select id from announcements where pointer_no > 0 and due_at <= now() order by due_at limit ${limit} for update skip locked
    ), room as (
      select ${mostRepeated} - count(*) as "left" from (
        select 1 from announcements where pointer_no > 0 and pointer_no <= ${repeatsInWindow} limit ${mostRepeated}
      ) repeated
    ), fresh as (
      select id from announcements where pointer_no = 0 and due_at <= now() order by due_at
      limit least((select "left" from room), ${limit} - (select count(*) from again)) for update skip locked
    )
    update announcements a set pointer_no = pointer_no + 1,
      due_at = now() + case when pointer_no < ${repeatsInWindow} then least(10 * power(2, pointer_no), 300) else 3600 end * interval '1 second'
    where a.id = any(array(select id from again union all select id from fresh))
    returning a.id, a.subject, a.body, a.pointer_no`.execute(db)
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as Announcement }))
}

/** Webhooks has committed the effect of these. Confirming twice is harmless. */
export async function deleteAnnouncements(db: Db, ids: string[]): Promise<void> {
  await db
    .deleteFrom('announcements')
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
}
