import type { DatabaseWatch } from '@herald/service/health'
import type { Metrics } from '@herald/service/metrics'
import { readForScrape, scope } from '@herald/service/scrape'
import { countOpenCircuits } from './delivery/store/circuits.ts'
import { countSlowed } from './delivery/store/provider-rates.ts'
import { countBacklog } from './sends/store/backlog.ts'
import { findDueAges } from './store/due.ts'
import type { Db } from './store/tables.ts'

export type Measures = { pagesCut: (count: number) => void }

/** Measures the pages that are made, the open circuits, and how late the sweep is. */
export function openMeasures(metrics: Metrics, { db, watch }: { db: Db; watch: DatabaseWatch }): Measures {
  const openCircuits = readForScrape(watch, () => countOpenCircuits(db))
  metrics.gauge(
    'herald_circuit_open',
    'Circuits of apps that are open: pushes are held, and the provider gets only probes and, while it is away, pushes with ttl 0.',
    {
      labelNames: ['scope', 'platform', 'environment'],
      async collect() {
        const open = await openCircuits()
        // While the database is away the metric has no values, because old values would mislead.
        this.reset()
        for (const { platform, environment, count } of open ?? []) this.set({ scope, platform, environment }, count)
      },
    },
  )
  const slowed = readForScrape(watch, () => countSlowed(db))
  metrics.gauge('herald_slowed_credentials', 'Credentials whose pushes are slowed down because the provider’s quota was used up.', {
    labelNames: ['scope', 'platform'],
    async collect() {
      const counts = await slowed()
      this.reset()
      for (const { platform, count } of counts ?? []) this.set({ scope, platform }, count)
    },
  })
  const dueAges = readForScrape(watch, () => findDueAges(db))
  metrics.gauge('herald_due_age_seconds', 'How long the oldest row that is due has been so; above 5 s the sweep does not keep up.', {
    labelNames: ['scope', 'queue'],
    async collect() {
      const ages = await dueAges()
      this.reset()
      for (const { queue, seconds } of ages ?? []) this.set({ scope, queue }, seconds)
    },
  })
  const backlog = readForScrape(watch, () => countBacklog(db))
  metrics.gauge(
    'herald_backlog_pushes',
    'Pushes that dispatchers could send now, and an estimate of those that large sends under way still have to queue. Dispatchers scale by it.',
    {
      labelNames: ['scope', 'platform', 'lane'],
      async collect() {
        const counts = await backlog()
        this.reset()
        for (const { platform, lane, pushes } of counts ?? []) this.set({ scope, platform, lane }, pushes)
      },
    },
  )
  const pages = metrics.counter('herald_fan_out_pages_total', 'Pages of fan-outs cut into batches.')
  return { pagesCut: (count) => pages.inc(count) }
}
