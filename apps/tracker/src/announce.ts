import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import type { Bus } from '@herald/service/bus'
import { portions } from './core/announcement.ts'
import type { AnnouncementRow } from './store/announcements.ts'

/** The rows that tell webhooks of events: to be inserted by the transaction that makes them happen. */
export const announcementsOf = (subject: string, events: Event[]): AnnouncementRow[] =>
  portions(events).map((portion) => {
    const id = newId()
    return { id, subject, body: { announcementId: id, owner: 'tracker', events: portion }, pointer_no: 0 }
  })

/** Publishes an announcement. Its id carries the pointer number: the same id again within two minutes would be swallowed. */
export const publishAnnouncement = (bus: Pick<Bus, 'publish'>, { id, subject, body, pointer_no }: AnnouncementRow): Promise<void> =>
  bus.publish(subject, body, `${id}.${pointer_no}`)
