import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { DatabaseWatch } from '@herald/service/health'
import type { Metrics } from '@herald/service/metrics'
import { readForScrape, scope } from '@herald/service/scrape'
import { findDueAges } from './store/announcements.ts'
import type { Db } from './store/tables.ts'

/** A number of pushes of one platform with the same outcome and code. `code` is the failure code or skip reason, and empty for sent pushes. */
export type CountedOutcomes = { platform: Platform; outcome: OutcomeKind; code: string; count: number }

/** Counts what a transaction has committed. */
export type Measures = { count(outcomes: CountedOutcomes[], engagements: EngagementKind[]): void }

/** Makes the tracker's metrics: committed outcomes and reports, and how late its sweep is. */
export function openMeasures(metrics: Metrics, { db, watch }: { db: Db; watch: DatabaseWatch }): Measures {
  const ended = metrics.counter('herald_outcomes_total', 'Pushes that got their outcome.', ['platform', 'outcome', 'code'])
  const engaged = metrics.counter('herald_engagements_total', 'Reports of devices that counted.', ['kind'])
  const dueAges = readForScrape(watch, () => findDueAges(db))
  metrics.gauge('herald_due_age_seconds', 'Seconds that the oldest due row of a queue has waited.', {
    labelNames: ['scope', 'queue'],
    async collect() {
      // While the database is away the gauge is empty, because old ages would mislead.
      this.reset()
      for (const { queue, seconds } of (await dueAges()) ?? []) this.set({ scope, queue }, seconds)
    },
  })

  return {
    count(outcomes, engagements) {
      for (const { platform, outcome, code, count } of outcomes) ended.inc({ platform, outcome, code }, count)
      for (const kind of engagements) engaged.inc({ kind })
    },
  }
}
