import type { Event } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import type { DatabaseWatch } from '@herald/service/health'
import type { Metrics } from '@herald/service/metrics'
import { readForScrape } from '@herald/service/scrape'
import { findDueAges } from './store/due-ages.ts'
import type { Db } from './store/tables.ts'

/** Counts events whose transaction has committed. */
export type CountEvents = (events: Event[]) => void

const outcomeTypes = new Set<string>(outcomes.map((outcome) => `notification.${outcome}`))

/** What the tracker says of itself: outcomes and reports as they are committed, and how late its sweep is. */
export function openMeasures(metrics: Metrics, { db, watch }: { db: Db; watch: DatabaseWatch }): CountEvents {
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

  return (events) => {
    for (const alike of Map.groupBy(events, likeness).values()) {
      const [{ type, platform = '', data } = { type: '' }] = alike
      const kind = type.replace('notification.', '')
      if (outcomeTypes.has(type)) settled.inc({ platform, outcome: kind, code: codeOf(data) }, alike.length)
      else if (type !== 'campaign.completed') engaged.inc({ kind }, alike.length)
    }
  }
}

/** Failure code or skip reason, empty for sent. */
function codeOf(data: Event['data']): string {
  const code = data?.['code'] ?? data?.['reason']
  return typeof code === 'string' ? code : ''
}

const likeness = ({ type, platform, data }: Event): string => `${type} ${platform} ${codeOf(data)}`
