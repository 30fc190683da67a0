import { openHouseSteps } from '@herald/service/house-steps'
import { transact } from '@herald/service/postgres'
import { waitingOf } from './core/reading.ts'
import { deleteOfDeletedEndpoints, deleteOldBodies, deleteOldDeliveries, deleteOldErasedUsers } from './store/bodies.ts'
import { deleteOldMarks } from './store/events.ts'
import { lockLogs, makeLogDue } from './store/logs.ts'
import { changeQueues, findAppsLongOff, findLongOff, lockQueues } from './store/queues.ts'
import type { Db } from './store/tables.ts'
import type { Webhooks } from './webhooks.ts'

/** Retention is measured in hours and days, so every 30 s is often enough. */
export const houseEveryMs = 30_000
/** One statement deletes at most this many rows, so that its locks are short. While more rows are left the next statement follows at once. */
const portion = 2_000

type House = Pick<Webhooks, 'db' | 'log'> & { isAway: (error: unknown) => boolean }

/**
 * Deletes, for a sweep, bodies, deliveries and marks past their retention, events that wait for endpoints that have been switched off for too long,
 * and the rows of deleted endpoints (`openHouseSteps`).
 */
export function openHousekeeping(
  { db, log, retention: { logDays, deliveredHours, undeliveredDays } }: Pick<Webhooks, 'db' | 'log' | 'retention'>,
  { isAway }: Pick<House, 'isAway'>,
): () => Promise<{ took: number }> {
  // A body can be replayed only from the delivery log, so no body is kept longer than the log.
  const otherHours = Math.min(undeliveredDays, logDays) * 24
  const deliveredKeptHours = Math.min(deliveredHours, otherHours)
  const limit = portion
  const steps: Record<string, () => Promise<number>> = {
    'bodies of delivered': () => transact(db, (trx) => deleteOldBodies(trx, 'delivered', { keptHours: deliveredKeptHours, limit })),
    'bodies of undelivered': () => transact(db, (trx) => deleteOldBodies(trx, 'other', { keptHours: otherHours, limit })),
    'delivery log': () => deleteOldDeliveries(db, { days: logDays, limit }),
    'events of disabled endpoints': () => dropLongOff({ db, log, isAway }, { days: undeliveredDays, limit }),
    'deleted endpoints': () => transact(db, (trx) => deleteOfDeletedEndpoints(trx, limit)),
    'marks of announcements': () => deleteOldMarks(db, limit),
    'marks of erased users': () => deleteOldErasedUsers(db, limit),
  }
  return openHouseSteps(log, { everyMs: houseEveryMs, full: limit, isAway }, steps)
}

/**
 * Drops, and counts, the events that wait for endpoints that have been switched off for more than `days` days, in at most `limit` apps. Gives the
 * number of apps. An app in which that fails holds up no other.
 */
async function dropLongOff({ db, log, isAway }: House, { days, limit }: { days: number; limit: number }): Promise<number> {
  let done = 0
  for (const appId of await findAppsLongOff(db, { days, limit })) {
    try {
      await dropLongOffOf(db, appId, days)
      done += 1
    } catch (error) {
      if (isAway(error)) throw error
      log.error({ appId, err: error }, 'the events that wait for disabled endpoints cannot be dropped; it is tried again in 30 s')
    }
  }
  return done
}

const dropLongOffOf = (db: Db, appId: string, days: number): Promise<void> =>
  transact(db, async (trx) => {
    const log = (await lockLogs(trx, [appId])).get(appId)
    if (!log) return
    const off = await findLongOff(trx, appId, days)
    const queues = (await lockQueues(trx, [appId])).filter(({ endpointId, readings }) => off.has(endpointId) && readings.length > 0)
    await changeQueues(
      trx,
      queues.map(({ endpointId, readings }) => ({ endpointId, readings: [], dropped: waitingOf(readings, log).count })),
    )
    await makeLogDue(trx, appId)
  })
