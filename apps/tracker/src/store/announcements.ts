import type { Announcement } from '@herald/contracts/event'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

export type AnnouncementRow = { id: string; subject: string; body: Announcement; pointer_no: number }

/** Promises to tell webhooks; published right after the commit, else by the sweep 5 s later. */
export async function insertAnnouncements(db: Db, announcements: AnnouncementRow[]): Promise<void> {
  if (announcements.length === 0) return
  await db
    .insertInto('announcements')
    .values(
      announcements.map(({ body, ...row }) => ({ ...row, body: JSON.stringify(body), due_at: sql<Date>`now() + interval '5 seconds'` })),
    )
    .execute()
}

/**
 * Takes announcements that nobody confirmed. They come again after 10, 20, 40 … s, at most 5 minutes: unlike a pointer an
 * announcement is heavy (up to ~300 kB), and webhooks being behind must not be answered with copies of its whole backlog.
 */
export async function takeDueAnnouncements(db: Db, limit: number): Promise<AnnouncementRow[]> {
  const rows = await db
    .with('due', (due) =>
      due
        .selectFrom('announcements')
        .select('id')
        .where('due_at', '<=', sql<Date>`now()`)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('announcements')
    .from('due')
    .whereRef('announcements.id', '=', 'due.id')
    .set({
      pointer_no: sql<number>`pointer_no + 1`,
      due_at: sql<Date>`now() + least(10 * power(2, least(pointer_no, 10)), 300) * interval '1 second'`,
    })
    .returning(['announcements.id', 'subject', 'body', 'pointer_no'])
    .execute()
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as Announcement }))
}

/** Webhooks has committed the effect of these. Confirming twice is harmless. */
export async function deleteAnnouncements(db: Db, ids: string[]): Promise<void> {
  await db
    .deleteFrom('announcements')
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
}
