import type { Bus } from '@herald/service/bus'
import { publishAnnouncement } from './announce.ts'
import { settlementsPerCall, tellSettlements } from './tell-settlements.ts'
import { takeDueAnnouncements } from './store/announcements.ts'
import { takeDueSettlements } from './store/settlements.ts'
import type { Db } from './store/tables.ts'

/** Repeats what was not confirmed: announcements to webhooks (20 at once are at most ~6 MB) and settlements to campaigns and audience. */
export async function sweepDue({ db, bus }: { db: Db; bus: Pick<Bus, 'call' | 'publish'> }): Promise<{ took: number }> {
  const announcements = await takeDueAnnouncements(db, 20)
  const settlements = await takeDueSettlements(db, settlementsPerCall)
  // One that fails now is due again by itself.
  await Promise.allSettled([
    ...announcements.map((announcement) => publishAnnouncement(bus, announcement)),
    settlements.length > 0 ? tellSettlements({ db, bus }, settlements) : undefined,
  ])
  return { took: announcements.length + settlements.length }
}
