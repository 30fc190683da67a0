import { publishAnnouncement, takeDue } from './announce.ts'
import { takeDueSettlements } from './store/settlements.ts'
import { settlementsPerCall, tellSettlements } from './tell-settlements.ts'
import type { Tracker } from './tracker.ts'

/**
 * Publishes due announcements, which webhooks has not confirmed: at most 20 at once, up to ~6 MB. Tells campaigns and audience of due settlements,
 * which they have not confirmed: at most 200 at once.
 */
export async function sweepDue({ db, bus, log }: Pick<Tracker, 'db' | 'bus' | 'log'>): Promise<{ took: number }> {
  const announcements = await takeDue(db, 20)
  const settlements = await takeDueSettlements(db, settlementsPerCall)
  // An announcement or settlement that cannot be sent now stays in its row, and is due again later.
  await Promise.allSettled([
    ...announcements.map((announcement) => publishAnnouncement(bus, announcement)),
    settlements.length > 0 ? tellSettlements({ db, bus, log }, settlements) : undefined,
  ])
  return { took: announcements.length + settlements.length }
}
