import type { Bus } from '@herald/service/bus'
import type { Service } from '@herald/service/run'
import { openBackground } from '@herald/service/background'
import { publishAnnouncement } from './announce.ts'
import type { Ended, Engaged, Measures } from './measure.ts'
import { tellSettlement } from './settle.ts'
import type { AnnouncementRow } from './store/announcements.ts'
import type { Db } from './store/tables.ts'

/** What follows from a commit: it is measured, its announcements are published and its settlements told, while the caller already has its answer. */
export type FollowUp = (committed: {
  announcements: AnnouncementRow[]
  settled: string[]
  ended?: readonly Ended[]
  engaged?: readonly Engaged[]
}) => void

/** An announcement is up to ~300 kB, so few at once; a settlement is two small calls, and one-device sends make hundreds a second. */
export function openFollowUp(
  service: Service,
  { db, bus, measures }: { db: Db; bus: Pick<Bus, 'call' | 'publish'>; measures: Measures },
): FollowUp {
  const publish = openBackground(service, { what: 'announcements', limit: 32 })
  const settle = openBackground(service, { what: 'settlements', limit: 100 })
  return ({ announcements, settled, ended = [], engaged = [] }) => {
    measures.countEnded(ended)
    measures.countEngaged(engaged)
    for (const announcement of announcements) publish(() => publishAnnouncement(bus, announcement))
    for (const campaign_id of settled)
      settle(() => tellSettlement({ db, bus }, { campaign_id, campaigns_told: false, audience_told: false }))
  }
}
