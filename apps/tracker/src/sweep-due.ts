import { publishAnnouncement } from './announce.ts'
import { takeDueAnnouncements } from './store/announcements.ts'
import { takeDueSettlements } from './store/settlements.ts'
import { settlementsPerCall, tellSettlements } from './tell-settlements.ts'
import type { Tracker } from './tracker.ts'

/** Repeats announcements that webhooks has not confirmed (20 are at most ~6 MB), and settlements that campaigns or audience has not answered. */
export async function sweepDue({ db, bus }: Pick<Tracker, 'db' | 'bus'>): Promise<{ took: number }> {
  const announcements = await takeDueAnnouncements(db, 20)
  const settlements = await takeDueSettlements(db, settlementsPerCall)
  // What cannot be told now is due again by itself.
  await Promise.allSettled([
    ...announcements.map((announcement) => publishAnnouncement(bus, announcement)),
    settlements.length > 0 ? tellSettlements({ db, bus }, settlements) : undefined,
  ])
  return { took: announcements.length + settlements.length }
}
