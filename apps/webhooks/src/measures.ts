import type { DatabaseWatch } from '@herald/service/health'
import type { Metrics } from '@herald/service/metrics'
import { readForScrape, scope } from '@herald/service/scrape'
import type { ResponseMeaning } from './core/response.ts'
import { findBacklog } from './store/backlog.ts'
import type { Db } from './store/tables.ts'

export type Measures = { countAttempt: (meaning: ResponseMeaning['is']) => void; countDropped: (events: number) => void }

/** Makes the metrics of webhooks: attempts by their result, dropped events, how many events wait, and for how long the oldest delivery is due. */
export function openMeasures(metrics: Metrics, { db, watch }: { db: Db; watch: DatabaseWatch }): Measures {
  const attempts = metrics.counter('herald_webhook_deliveries_total', 'Attempts at webhook deliveries, by what came of them.', ['outcome'])
  const dropped = metrics.counter('herald_webhook_dropped_total', 'Events dropped because too many waited for their endpoint.')
  const oldest = metrics.gauge('herald_webhook_oldest_due_seconds', 'For how long the oldest delivery that is due has waited.', {
    labelNames: ['scope'],
  })
  const readBacklog = readForScrape(watch, () => findBacklog(db))
  metrics.gauge('herald_webhook_backlog', 'Events that wait for their batch.', {
    labelNames: ['scope'],
    async collect() {
      const backlog = await readBacklog()
      // While the database is away the gauges have no value, because old numbers would mislead.
      this.set({ scope }, backlog?.waiting ?? NaN)
      oldest.set({ scope }, backlog?.oldestDueSeconds ?? NaN)
    },
  })
  return { countAttempt: (outcome) => attempts.inc({ outcome }), countDropped: (events) => dropped.inc(events) }
}
