import type { DatabaseWatch } from '@herald/service/health'
import type { Metrics } from '@herald/service/metrics'
import { readForScrape, scope } from '@herald/service/scrape'
import { findDueAges } from './store/due.ts'
import type { Db } from './store/tables.ts'

const lagSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400]

export type Measures = { startedLate: (seconds: number) => void; missedOccurrences: (count: number) => void }

/** Makes the metrics: how late scheduled sends and runs start, how many occurrences were left out, and how long the oldest due rows have waited. */
export function openMeasures(metrics: Metrics, { db, watch }: { db: Db; watch: DatabaseWatch }): Measures {
  const lag = metrics.histogram(
    'herald_scheduler_lag_seconds',
    'How long after its due time a scheduled send or a recurring run was started.',
    { buckets: lagSeconds },
  )
  const missed = metrics.counter(
    'herald_occurrences_missed_total',
    'Occurrences of recurring campaigns left out because no process of campaigns took them in time.',
  )
  const dueAges = readForScrape(watch, () => findDueAges(db))
  metrics.gauge('herald_due_age_seconds', 'How long the oldest row that is due has waited, by queue; 0: none is.', {
    labelNames: ['scope', 'queue'],
    async collect() {
      // A scrape is answered even while the database is away. The scrape leaves out the ages then, because old ages would mislead.
      const ages = await dueAges()
      if (!ages) return this.reset()
      for (const [queue, seconds] of Object.entries(ages)) this.labels(scope, queue).set(seconds)
    },
  })
  return {
    startedLate: (seconds) => lag.observe(seconds),
    missedOccurrences: (count) => missed.inc(count),
  }
}
