import { deleteOldErasedApps } from '@herald/service/erased-apps'
import { openHouseSteps } from '@herald/service/house-steps'
import { daysKept, hoursKeptDays } from './core/series.ts'
import { deleteOldCounters, deleteOldNotifications } from './store/counters.ts'
import { deleteOldErasedUsers } from './store/conversions.ts'
import { deleteOldMarks } from './store/inbox.ts'
import { deleteOldDays, getDaysAround } from './store/partitions.ts'
import { deleteOldSeries, mergeHours, mergeStripes } from './store/series.ts'
import type { Tracker } from './tracker.ts'

/** Partitions are made two days ahead, so once a minute is often enough. */
export const houseEveryMs = 60_000

/**
 * Gives the function that makes partitions ahead of their day, drops partitions past their retention, deletes old counters, days of the series,
 * marks of inboxes and of erased apps and users, and merges past hours and hours into days.
 */
export function openHousekeeping({
  db,
  ensureDay,
  retentionDays,
  counterDays,
  transactionalDays,
  log,
}: Pick<Tracker, 'db' | 'ensureDay' | 'retentionDays' | 'counterDays' | 'transactionalDays' | 'log'>): () => Promise<{ took: number }> {
  return openHouseSteps(
    log,
    { everyMs: houseEveryMs },
    {
      'days to come': async () => {
        for (const day of await getDaysAround(db, { back: 1, ahead: 2 })) await ensureDay(day)
        return 0
      },
      // While somebody reads the ledger for long, as a dump does, a day cannot be dropped. Each try makes the others wait, so it is made once a minute.
      'old days': async () => {
        const { dropped, settled } = await deleteOldDays(db, retentionDays)
        if (settled > 0)
          log.error({ campaigns: settled }, 'campaigns were settled with outcomes missing: their day is past LEDGER_RETENTION_DAYS')
        return dropped
      },
      'old counters': () => deleteOldCounters(db, counterDays),
      'old counters of notifications': () => deleteOldNotifications(db, transactionalDays),
      'marks of erased apps': () => deleteOldErasedApps(db, retentionDays),
      'marks of erased users': () => deleteOldErasedUsers(db),
      'old marks of inboxes': () => deleteOldMarks(db, retentionDays),
      'stripes of hours': () => mergeStripes(db),
      'hours of days': () => mergeHours(db, hoursKeptDays),
      'old series': () => deleteOldSeries(db, daysKept),
    },
  )
}
