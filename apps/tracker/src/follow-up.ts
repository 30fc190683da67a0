import type { EngagementKind } from '@herald/contracts/event'
import type { Bus } from '@herald/service/bus'
import type { Service } from '@herald/service/run'
import { openBackground } from '@herald/service/background'
import { publishAnnouncement } from './announce.ts'
import type { CountedOutcomes, Measures } from './measure.ts'
import { openSettlementTelling } from './tell-settlements.ts'
import type { AnnouncementRow } from './store/announcements.ts'
import type { Db } from './store/tables.ts'

/** What follows from a commit: it is measured, its announcements are published and its settlements told, while the caller already has its answer. */
export type FollowUp = (committed: {
  announcements: AnnouncementRow[]
  settled: string[]
  /** Pushes that ended, and what devices reported: for the metrics. */
  outcomes?: CountedOutcomes[]
  engagements?: EngagementKind[]
}) => void

/** An announcement is up to ~300 kB, so few at once; settlements are told in company, since one-device sends make a thousand a second. */
export function openFollowUp(
  service: Service,
  { db, bus, measures }: { db: Db; bus: Pick<Bus, 'call' | 'publish'>; measures: Measures },
): FollowUp {
  const publish = openBackground(service, { what: 'announcements', limit: 32 })
  const settle = openBackground(service, { what: 'settlements', limit: 5_000 })
  const tell = openSettlementTelling({ db, bus })
  return ({ announcements, settled, outcomes = [], engagements = [] }) => {
    measures.count(outcomes, engagements)
    for (const announcement of announcements) publish(() => publishAnnouncement(bus, announcement))
    for (const campaignId of settled) settle(() => tell(campaignId))
  }
}
