import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { DatabaseWatch } from '@herald/service/health'
import type { Metrics } from '@herald/service/metrics'
import { readForScrape } from '@herald/service/scrape'
import { findDueAges } from './store/due-ages.ts'
import type { Db } from './store/tables.ts'

/** A push that got its outcome; `code`: failure code or skip reason, empty for sent. */
export type Ended = { platform: Platform; outcome: OutcomeKind; code: string }
/** A report that counted. */
export type Engaged = { kind: EngagementKind }

/** Counts what a committed transaction made happen. */
export type Measures = { countEnded(ended: readonly Ended[]): void; countEngaged(engaged: readonly Engaged[]): void }

/** What the tracker says of itself: outcomes and reports as they are committed, and how late its sweep is. */
export function openMeasures(metrics: Metrics, { db, watch }: { db: Db; watch: DatabaseWatch }): Measures {
  const settled = metrics.counter('herald_outcomes_total', 'Pushes that got their outcome.', ['platform', 'outcome', 'code'])
  const engaged = metrics.counter('herald_engagements_total', 'Reports of devices that counted.', ['kind'])
  const dueAges = readForScrape(watch, () => findDueAges(db))
  metrics.gauge('herald_due_age_seconds', 'For how long the oldest of a queue that is due has waited.', {
    labelNames: ['queue'],
    async collect() {
      // Nothing is better than what was true before the database went away.
      this.reset()
      for (const { queue, seconds } of (await dueAges()) ?? []) this.set({ queue }, seconds)
    },
  })

  return {
    countEnded(ended) {
      for (const alike of Map.groupBy(ended, ({ platform, outcome, code }) => `${platform} ${outcome} ${code}`).values()) {
        const [first] = alike
        if (first) settled.inc({ platform: first.platform, outcome: first.outcome, code: first.code }, alike.length)
      }
    },
    countEngaged(reports) {
      for (const [kind, alike] of Map.groupBy(reports, (report) => report.kind)) engaged.inc({ kind }, alike.length)
    },
  }
}
