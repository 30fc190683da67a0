import { deleteOldBodies, deleteOldDeliveries } from './store/bodies.ts'
import type { Db } from './store/tables.ts'
import { deleteStale } from './store/waiting-events.ts'

/** Retention is measured in hours and days. */
const everyMs = 30_000
/** Rows per statement: short locks, and a backlog is worked off without a pause. */
const portion = 2_000

export type Retention = { logDays: number; deliveredHours: number; undeliveredDays: number }

/** The housekeeping, for a sweep: bodies and the delivery log past retention, what waited too long, what is left of deleted endpoints. */
export function openHousekeeping(db: Db, { logDays, deliveredHours, undeliveredDays }: Retention): () => Promise<{ took: number }> {
  let nextAt = 0
  return async () => {
    if (performance.now() < nextAt) return { took: 0 }
    const bodies = await deleteOldBodies(db, { deliveredHours, undeliveredDays, limit: portion })
    const deliveries = await deleteOldDeliveries(db, { days: logDays, limit: portion })
    const stale = await deleteStale(db, { eventDays: undeliveredDays, limit: portion })
    const most = Math.max(bodies, deliveries, stale)
    if (most < portion) nextAt = performance.now() + everyMs
    return { took: most < portion ? 0 : most }
  }
}
