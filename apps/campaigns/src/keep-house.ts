import type { Log } from '@herald/service/log'
import { deleteOldNotifications } from './store/campaigns.ts'
import { deleteOldErasedApps } from './store/erased-apps.ts'
import { endLongPauses } from './store/flows.ts'
import { deleteOldRecords } from './store/idempotency-keys.ts'
import type { Db } from './store/tables.ts'

const everyMs = 60_000

/** The retention and the end of long pauses, for a sweep: at most 1,000 rows of a table at once, once a minute, and again at once while there is more. */
export function openHousekeeping({
  db,
  idempotencyHours,
  transactionalDays,
  ledgerDays,
  pauseDays,
  log,
}: {
  db: Db
  idempotencyHours: number
  transactionalDays: number
  ledgerDays: number
  pauseDays: number
  log: Log
}): () => Promise<{ took: number }> {
  let nextAt = 0
  return async () => {
    if (performance.now() < nextAt) return { took: 0 }
    const ended = await endLongPauses(db, pauseDays)
    for (const campaignId of ended)
      log.warn({ campaignId, days: pauseDays }, 'a campaign was paused longer than PAUSE_MAX_DAYS: it is cancelled')
    const took =
      ended.length +
      (await deleteOldRecords(db, idempotencyHours)) +
      (await deleteOldNotifications(db, transactionalDays)) +
      (await deleteOldErasedApps(db, ledgerDays))
    if (took === 0) nextAt = performance.now() + everyMs
    return { took }
  }
}
