import type { Announcement, Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { deleteAnnouncements, takeDueAnnouncements } from '@herald/service/announcements'
import type { AnnouncementRow } from './store/announcements.ts'
import type { Tracker } from './tracker.ts'

/** An announcement has at most this many events (contracts/event.ts). */
const mostEvents = 1_000

/** Splits events into portions of at most 1,000, one for each announcement. */
export function portions(events: Event[]): Event[][] {
  const answer: Event[][] = []
  for (let from = 0; from < events.length; from += mostEvents) answer.push(events.slice(from, from + mostEvents))
  return answer
}

/** Makes the announcements of events. The caller inserts them in the transaction that writes what the events tell of. */
export const announcementsOf = (subject: string, events: Event[]): AnnouncementRow[] =>
  portions(events).map((portion) => {
    const id = newId()
    return { id, subject, body: { announcementId: id, owner: 'tracker', events: portion }, pointerNo: 0 }
  })

/**
 * Publishes an announcement. The message's id contains the pointer number: the queue drops a message whose id it has had within two minutes, and a
 * repeat must not be dropped.
 */
export const publishAnnouncement = (bus: Tracker['bus'], { id, subject, body, pointerNo }: AnnouncementRow): Promise<void> =>
  bus.publish(subject, body, `${id}.${pointerNo}`)

/** Deletes announcements whose events webhooks has committed. Confirming an announcement twice is harmless. */
export async function confirmAnnouncements(
  { db }: Pick<Tracker, 'db'>,
  { announcementIds }: { announcementIds: string[] },
): Promise<Record<string, never>> {
  await deleteAnnouncements(db, announcementIds)
  return {}
}

/** Takes announcements that webhooks has not confirmed, to repeat them. */
export const takeDue = async (db: Tracker['db'], limit: number): Promise<AnnouncementRow[]> =>
  (await takeDueAnnouncements(db, limit)).map((row) => ({ ...row, body: JSON.parse(String(row.body)) as Announcement }))
