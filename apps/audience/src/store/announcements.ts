import type { Event } from '@herald/contracts/event'
import type { Db } from './tables.ts'

export type AnnouncementRow = { id: string; subject: string; body: Event[]; pointerNo: number }

export const insertAnnouncements = (db: Db, announcements: { id: string; subject: string; body: Event[] }[]) =>
  db
    .insertInto('announcements')
    .values(announcements.map(({ id, subject, body }) => ({ id, subject, body: JSON.stringify(body) })))
    .execute()
