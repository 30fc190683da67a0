import type { DatabaseWatch } from '@herald/service/health'
import type { Service } from '@herald/service/run'
import { readForScrape } from '@herald/service/scrape'
import { findDueAges } from './store/due.ts'
import type { Db } from './store/tables.ts'

const lagSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400]

/** What of the schedules is measured: how late they start, what is left out, and how long the oldest due row has waited. */
export function openMeasurements(service: Service, db: Db, watch: DatabaseWatch) {
  const lag = service.metrics.histogram(
    'herald_scheduler_lag_seconds',
    'How long after its due time a scheduled send or a recurring run was started.',
    {
      buckets: lagSeconds,
    },
  )
  const missed = service.metrics.counter(
    'herald_occurrences_missed_total',
    'Occurrences of recurring campaigns left out because nobody was there in time.',
  )
  const dueAges = readForScrape(watch, () => findDueAges(db))
  service.metrics.gauge('herald_due_age_seconds', 'How long the oldest row that is due has waited, by queue; 0: none is.', {
    labelNames: ['queue'],
    async collect() {
      // A scrape answers also while the database is away; the last ages are no news then.
      const ages = await dueAges()
      if (!ages) return this.reset()
      for (const [queue, seconds] of Object.entries(ages)) this.labels(queue).set(seconds)
    },
  })
  return {
    startedLate: (seconds: number) => lag.observe(seconds),
    missedOccurrences: (count: number) => missed.inc(count),
  }
}
