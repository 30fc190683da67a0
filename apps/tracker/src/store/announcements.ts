import type { Announcement } from '@herald/contracts/event'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

export type AnnouncementRow = { id: string; subject: string; body: Announcement; pointerNo: number }

/** Gives announcements as JSON for `insert_announcements` and `count_outcomes` (migrations/0200). */
export const asJson = (announcements: AnnouncementRow[]): string =>
  JSON.stringify(announcements.map(({ id, subject, body }) => ({ id, subject, body: JSON.stringify(body) })))

/**
 * Inserts announcements. The caller publishes them after its commit. While webhooks has not confirmed an announcement, the sweep publishes it again,
 * for the first time after 5 s.
 */
export async function insertAnnouncements(db: Db, announcements: AnnouncementRow[]): Promise<void> {
  if (announcements.length > 0) await sql`select insert_announcements(${asJson(announcements)}::json)`.execute(db)
}

/** At most this many unconfirmed announcements are being repeated at any time. The number is small, because an announcement has up to ~300 kB. */
export const mostRepeated = 200
/**
 * An announcement counts as one of `mostRepeated` during its first 8 repeats. With the ninth, about 20 minutes after the first, it makes room for
 * another.
 */
const repeatsInWindow = 8

/**
 * Takes announcements that webhooks has not confirmed, to repeat them. Each is due again after 10 s, 20 s and so on up to 5 minutes, and after 20
 * minutes of repeats once an hour.
 */
export async function takeDueAnnouncements(db: Db, limit: number): Promise<AnnouncementRow[]> {
  // Only 200 (`mostRepeated`) are repeated at a time, so that the queue does not fill with copies while webhooks is away. Further ones wait until
  // some are confirmed or have been repeated for 20 minutes.
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
    returning a.id, a.subject, a.body, a.pointer_no as "pointerNo"`.execute(db)
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as Announcement }))
}

/** Gives, for each queue, the seconds for which its oldest row has been due: 0 when no row is due. */
export async function findDueAges(db: Db): Promise<{ queue: 'announcements' | 'settlements'; seconds: number }[]> {
  const { rows } = await sql<{ queue: 'announcements' | 'settlements'; seconds: number }>`
    select queue, greatest(0, coalesce(extract(epoch from now() - due_at), 0))::float8 as seconds from (
      select 'announcements' as queue, min(due_at) as due_at from announcements
      union all select 'settlements', min(due_at) from settlements
    ) oldest`.execute(db)
  return rows
}

export async function deleteAnnouncements(db: Db, ids: string[]): Promise<void> {
  await db
    .deleteFrom('announcements')
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
}
