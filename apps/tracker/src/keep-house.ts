import type { Log } from '@herald/service/log'
import type { EnsureDay } from './days.ts'
import { deleteOldCounters } from './store/counters.ts'
import { deleteOldErasedApps } from './store/erased-apps.ts'
import { deleteOldDays, getDaysAround } from './store/partitions.ts'
import { daysKept, hoursKeptDays } from './core/series.ts'
import { deleteOldSeries, mergeHours, mergeSlots } from './store/series.ts'
import type { Db } from './store/tables.ts'

/** Days come and go slowly; partitions are made two days ahead. */
const everyMs = 60_000

/**
 * The housekeeping, for a sweep: partitions ahead of their day, days past retention dropped, old counters and marks of
 * deleted apps deleted, old hours of the series merged into days. It looks
 * once a minute, and again at once while there is more to delete.
 */
export function openHousekeeping({
  db,
  ensureDay,
  ledgerDays,
  counterDays,
  log,
}: {
  db: Db
  ensureDay: EnsureDay
  ledgerDays: number
  counterDays: number
  log: Log
}): () => Promise<{ took: number }> {
  let nextAt = 0
  return async () => {
    if (performance.now() < nextAt) return { took: 0 }
    for (const day of await getDaysAround(db, { back: 1, ahead: 2 })) await ensureDay(day)
    const { dropped, settled } = await deleteOldDays(db, ledgerDays)
    if (settled > 0)
      log.error({ campaigns: settled }, 'campaigns were settled with outcomes missing: their day is past LEDGER_RETENTION_DAYS')
    const deleted = await deleteOldCounters(db, counterDays)
    const forgotten = await deleteOldErasedApps(db, ledgerDays)
    const merged = (await mergeSlots(db)) + (await mergeHours(db, hoursKeptDays)) + (await deleteOldSeries(db, daysKept))
    const took = dropped + deleted + forgotten + merged
    if (took === 0) nextAt = performance.now() + everyMs
    return { took }
  }
}
