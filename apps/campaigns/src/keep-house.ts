import { deleteOldErasedApps } from '@herald/service/erased-apps'
import { openHouseSteps } from '@herald/service/house-steps'
import type { Campaigns } from './campaigns.ts'
import { deleteOldActivities } from './store/activities.ts'
import { deleteOldNotifications } from './store/campaigns.ts'
import { endLongPauses } from './store/flows.ts'
import { deleteOldRecords } from './store/idempotency-keys.ts'

export const houseEveryMs = 60_000

/**
 * Deletes old notifications, activities, idempotency records and marks of erased apps, and cancels campaigns paused too long; at most 1,000 notifications and
 * records a call. After a call that found something, the next follows at once, otherwise a minute later.
 */
export function openHousekeeping({
  db,
  idempotencyHours,
  transactionalDays,
  ledgerDays,
  pauseDays,
  log,
}: Pick<Campaigns, 'db' | 'idempotencyHours' | 'transactionalDays' | 'ledgerDays' | 'pauseDays' | 'log'>): () => Promise<{ took: number }> {
  return openHouseSteps(
    log,
    { everyMs: houseEveryMs },
    {
      'long pauses': async () => {
        const ended = await endLongPauses(db, pauseDays)
        for (const campaignId of ended)
          log.warn({ campaignId, days: pauseDays }, 'a campaign was paused longer than PAUSE_MAX_DAYS: it is cancelled')
        return ended.length
      },
      'records of idempotency keys': () => deleteOldRecords(db, idempotencyHours),
      'ended activities': () => deleteOldActivities(db),
      'old notifications': () => deleteOldNotifications(db, transactionalDays),
      'marks of erased apps': () => deleteOldErasedApps(db, ledgerDays),
    },
  )
}
