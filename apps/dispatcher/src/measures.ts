import { platforms, type Platform } from '@herald/contracts/platform'
import type { Metrics } from '@herald/service/metrics'
import type { Jobs } from './jobs.ts'
import type { Window } from './window.ts'

/** What became of a push: its outcome, or that it comes back, or that the mass guard decides. */
export type Became = 'sent' | 'failed' | 'skipped' | 'retried' | 'guarded'

/** What the dispatcher counts about its pushes. */
export type Measures = {
  /** A push was answered, or given up, so long after it was handed over. */
  answered(platform: Platform, seconds: number): void
  /** An answer that the table does not know. */
  unknownAnswer(platform: Platform): void
  /** `code`: why it failed, was skipped or comes back; empty for sent. */
  became(platform: Platform, outcome: Became, code: string): void
}

/** From a provider next door to the time limit of 10 s. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Opens the dispatcher's metrics. Labels are resolved once: there are few, and a push meets two of them. */
export function openMeasures(metrics: Metrics, { window, jobs }: { window: Pick<Window, 'held'>; jobs: Pick<Jobs, 'inWork'> }): Measures {
  const labelNames = ['platform'] as const
  const pushes = metrics.counter('herald_pushes_total', 'Pushes, by what became of them.', ['platform', 'outcome', 'code'])
  const seconds = metrics.histogram('herald_provider_seconds', 'From handing a push over to its answer.', { labelNames, buckets })
  const unknown = metrics.counter('herald_unknown_answers_total', 'Answers of providers that the table does not know.', labelNames)
  metrics.gauge('herald_dispatch_window_held', 'Pushes that are unanswered or not yet counted.', { collect: setTo(() => window.held) })
  metrics.gauge('herald_batches_in_work', 'Batches that are taken and not finished.', { collect: setTo(() => jobs.inWork) })

  const byPlatform = new Map(
    platforms.map((platform) => [platform, { seconds: seconds.labels(platform), unknown: unknown.labels(platform) }]),
  )
  const counts = new Map<string, { inc(): void }>()
  return {
    answered: (platform, took) => byPlatform.get(platform)?.seconds.observe(took),
    unknownAnswer: (platform) => byPlatform.get(platform)?.unknown.inc(),
    became(platform, outcome, code) {
      const key = `${platform} ${outcome} ${code}`
      let count = counts.get(key)
      if (!count) counts.set(key, (count = pushes.labels(platform, outcome, code)))
      count.inc()
    },
  }
}

/** What a gauge does at a scrape to show a number that is kept elsewhere. */
const setTo = (read: () => number) =>
  function (this: { set(value: number): void }) {
    this.set(read())
  }
