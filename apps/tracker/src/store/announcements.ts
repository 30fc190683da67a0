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

/** Gives, for each queue, the seconds for which its oldest row has been due: 0 when no row is due. */
export async function findDueAges(db: Db): Promise<{ queue: 'announcements' | 'settlements'; seconds: number }[]> {
  const { rows } = await sql<{ queue: 'announcements' | 'settlements'; seconds: number }>`
    select queue, greatest(0, coalesce(extract(epoch from now() - due_at), 0))::float8 as seconds from (
      select 'announcements' as queue, min(due_at) as due_at from announcements
      union all select 'settlements', min(due_at) from settlements
    ) oldest`.execute(db)
  return rows
}
