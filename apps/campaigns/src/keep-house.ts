import { deleteOldNotifications } from './store/campaigns.ts'
import { deleteOldErasedApps } from './store/erased-apps.ts'
import { deleteOldRecords } from './store/idempotency-keys.ts'
import type { Db } from './store/tables.ts'

const everyMs = 60_000

/** The retention, for a sweep: at most 1,000 rows of a table at once, once a minute, and again at once while there is more. */
export function openHousekeeping({
  db,
  idempotencyHours,
  transactionalDays,
  ledgerDays,
}: {
  db: Db
  idempotencyHours: number
  transactionalDays: number
  ledgerDays: number
}): () => Promise<{ took: number }> {
  let nextAt = 0
  return async () => {
    if (performance.now() < nextAt) return { took: 0 }
    const took =
      (await deleteOldRecords(db, idempotencyHours)) +
      (await deleteOldNotifications(db, transactionalDays)) +
      (await deleteOldErasedApps(db, ledgerDays))
    if (took === 0) nextAt = performance.now() + everyMs
    return { took }
  }
}
