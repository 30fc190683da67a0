import { transact } from '@herald/service/postgres'
import { waitingOf } from './core/reading.ts'
import { lockLogs, makeLogDue } from './store/logs.ts'
import { changeQueues, findAppsLongOff, findLongOff, lockQueues } from './store/queues.ts'
import type { Db } from './store/tables.ts'

/** What waits for endpoints that have been switched off for so many days goes, and is counted as dropped. Answers for how many apps. */
export async function dropLongOff(db: Db, { days, limit }: { days: number; limit: number }): Promise<number> {
  const appIds = await findAppsLongOff(db, { days, limit })
  for (const appId of appIds) {
    await transact(db, async (trx) => {
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
  }
  return appIds.length
}
