import { deleteOldErasedApps } from '@herald/service/erased-apps'
import { daysKept, hoursKeptDays } from './core/series.ts'
import { deleteOldCounters } from './store/counters.ts'
import { deleteOldDays, getDaysAround } from './store/partitions.ts'
import { deleteOldSeries, mergeHours, mergeSlots } from './store/series.ts'
import type { Tracker } from './tracker.ts'

/** Partitions are made two days ahead, so once a minute is often enough. */
const everyMs = 60_000

/**
 * Gives the function that makes partitions ahead of their day, drops partitions past their retention, deletes old counters, old days of the series
 * and old marks of erased apps, and merges the rows of past hours and hours into days. After a call that found nothing to delete or merge, the
 * function does nothing for a minute.
 */
export function openHousekeeping({
  db,
  ensureDay,
  retentionDays,
  counterDays,
  log,
}: Pick<Tracker, 'db' | 'ensureDay' | 'retentionDays' | 'counterDays' | 'log'>): () => Promise<{ took: number }> {
  let nextAt = 0
  return async () => {
    if (performance.now() < nextAt) return { took: 0 }
    for (const day of await getDaysAround(db, { back: 1, ahead: 2 })) await ensureDay(day)
    const { dropped, settled } = await deleteOldDays(db, retentionDays)
    if (settled > 0)
      log.error({ campaigns: settled }, 'campaigns were settled with outcomes missing: their day is past LEDGER_RETENTION_DAYS')
    const deleted = await deleteOldCounters(db, counterDays)
    const forgotten = await deleteOldErasedApps(db, retentionDays)
    const merged = (await mergeSlots(db)) + (await mergeHours(db, hoursKeptDays)) + (await deleteOldSeries(db, daysKept))
    const took = dropped + deleted + forgotten + merged
    if (took === 0) nextAt = performance.now() + everyMs
    return { took }
  }
}
