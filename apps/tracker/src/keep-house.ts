import { deleteOldErasedApps } from '@herald/service/erased-apps'
import { daysKept, hoursKeptDays } from './core/series.ts'
import { deleteOldCounters } from './store/counters.ts'
import { deleteOldDays, getDaysAround } from './store/partitions.ts'
import { deleteOldSeries, mergeHours, mergeSlots } from './store/series.ts'
import type { Tracker } from './tracker.ts'

/** Partitions are made two days ahead, so once a minute is often enough. */
const everyMs = 60_000

/**
 * Makes partitions ahead of their day, drops partitions past their retention, deletes old counters and old marks of erased apps, and merges old hours
 * of the series into days. The sweep does so once a minute, and again at once while there is more to do.
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
