import type { Log } from '@herald/service/log'
import { transact } from '@herald/service/postgres'
import { deleteOfDeletedEndpoints, deleteOldBodies, deleteOldDeliveries, deleteOldErasedUsers } from './store/bodies.ts'
import type { Db } from './store/tables.ts'
import { dropLongOff } from './drop-long-off.ts'
import { deleteOldMarks } from './store/events.ts'

/** Retention is measured in hours and days. */
const everyMs = 30_000
/** Rows per statement: short locks, and a backlog is worked off without a pause. */
const portion = 2_000

export type Retention = { logDays: number; deliveredHours: number; undeliveredDays: number }

/**
 * The housekeeping, for a sweep: bodies and the delivery log past retention, what waited too long, what is left of deleted endpoints. Each
 * step goes on by itself: one that fails says so and is tried again after 30 s, and holds up no other. `isAway`: the database is, so all would fail.
 */
export function openHousekeeping(
  { db, log, isAway }: { db: Db; log: Log; isAway: (error: unknown) => boolean },
  { logDays, deliveredHours, undeliveredDays }: Retention,
): () => Promise<{ took: number }> {
  // The log tells of a body that can be replayed, so no body outlives it.
  const otherHours = Math.min(undeliveredDays, logDays) * 24
  const deliveredKeptHours = Math.min(deliveredHours, otherHours)
  const limit = portion
  const steps: Record<string, () => Promise<number>> = {
    'bodies of delivered': () => transact(db, (trx) => deleteOldBodies(trx, 'delivered', { keptHours: deliveredKeptHours, limit })),
    'bodies of undelivered': () => transact(db, (trx) => deleteOldBodies(trx, 'other', { keptHours: otherHours, limit })),
    'delivery log': () => deleteOldDeliveries(db, { days: logDays, limit }),
    'events of disabled endpoints': () => dropLongOff(db, { days: undeliveredDays, limit }),
    'deleted endpoints': () => transact(db, (trx) => deleteOfDeletedEndpoints(trx, limit)),
    'marks of announcements': () => deleteOldMarks(db, limit),
    'marks of erased users': () => deleteOldErasedUsers(db, limit),
  }
  const nextAt = new Map<string, number>()
  return async () => {
    let took = 0
    for (const [step, run] of Object.entries(steps)) {
      if (performance.now() < (nextAt.get(step) ?? 0)) continue
      const done = await run().catch((error: unknown) => {
        if (isAway(error)) throw error
        log.error({ step, err: error }, 'a step of the housekeeping failed; it is tried again after 30 s')
        return 0
      })
      if (done < limit) nextAt.set(step, performance.now() + everyMs)
      else took += done
    }
    return { took }
  }
}
