import type { Service } from '@herald/service/run'
import { openBackground } from '@herald/service/background'
import { publishAnnouncement } from './announce.ts'
import type { Measures } from './measures.ts'
import { openSettlementTelling } from './tell-settlements.ts'
import type { Tracker, FollowUp } from './tracker.ts'

/**
 * Gives the function that does what follows a commit. An announcement has up to ~300 kB, so at most 32 are published at once. Settlements share
 * calls, since up to a thousand sends to one device settle a second.
 */
export function openFollowUp(service: Service, { db, bus, measures }: Pick<Tracker, 'db' | 'bus'> & { measures: Measures }): FollowUp {
  const publish = openBackground(service, { what: 'announcements', limit: 32 })
  const tellLater = openBackground(service, { what: 'settlements', limit: 5_000 })
  const tell = openSettlementTelling({ db, bus, log: service.log })
  return ({ announcements, settled, outcomes = [], engagements = [] }) => {
    measures.count(outcomes, engagements)
    for (const announcement of announcements) publish(() => publishAnnouncement(bus, announcement))
    for (const campaignId of settled) tellLater(() => tell(campaignId))
  }
}
