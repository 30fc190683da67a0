import { platforms, type Platform } from '@herald/contracts/platform'
import type { Metrics } from '@herald/service/metrics'
import type { Jobs } from './jobs.ts'
import type { Window } from './window.ts'

/** What became of a push: it has an outcome, it is tried again (`retried`), or the mass guard decides about it (`guarded`). */
export type Became = 'sent' | 'failed' | 'skipped' | 'retried' | 'guarded'

/** What the dispatcher counts about its pushes. */
export type Measures = {
  /** Counts one push by the seconds from when it was handed over until its answer came, or until the wait for an answer ended. */
  answered(platform: Platform, seconds: number): void
  /** Counts a push of a small send by the seconds from when it was queued until the first answer to it came. */
  firstTried(platform: Platform, seconds: number): void
  /** Counts an answer that is not in the provider's table. */
  unknownAnswer(platform: Platform): void
  /** Counts what became of a push. `code` says why the push was not sent; it is empty for a push that was sent. */
  became(platform: Platform, outcome: Became, code: string): void
}

/**
 * The upper bounds of the histogram's buckets, in seconds. A provider on this machine answers within the first, and the last is the time limit for an
 * answer.
 */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Counted = { platform: Platform; outcome: Became; code: string; count: number }

/**
 * Opens the dispatcher's metrics. Pushes are counted in an array and passed to prom-client at the next scrape, because prom-client needs 0.5 µs and
 * 300 bytes to find a counter by its labels.
 */
export function openMeasures(metrics: Metrics, { window, jobs }: { window: Pick<Window, 'held'>; jobs: Pick<Jobs, 'inWork'> }): Measures {
  const labelNames = ['platform'] as const
  /** This array stays short, since platforms, outcomes and codes are Herald's own. */
  const counts: Counted[] = []
  let last: Counted | undefined
  metrics.counter('herald_pushes_total', 'Pushes, by what became of them.', ['platform', 'outcome', 'code'], function () {
    for (const one of counts) {
      this.labels(one.platform, one.outcome, one.code).inc(one.count)
      one.count = 0
    }
  })
  const seconds = metrics.histogram('herald_provider_seconds', 'From handing a push over to its answer.', { labelNames, buckets })
  const firstTries = metrics.histogram(
    'herald_first_try_seconds',
    'From the queueing of a push of a small send to the first answer of its provider.',
    { labelNames, buckets },
  )
  const unknown = metrics.counter('herald_unknown_answers_total', 'Answers of providers that the table does not know.', labelNames)
  metrics.gauge('herald_dispatch_window_held', 'Pushes that are unanswered or not yet counted.', { collect: setTo(() => window.held) })
  metrics.gauge('herald_batches_in_work', 'Batches that are taken and not finished.', { collect: setTo(() => jobs.inWork) })

  const byPlatform = new Map(
    platforms.map((platform) => [
      platform,
      { seconds: seconds.labels(platform), firstTries: firstTries.labels(platform), unknown: unknown.labels(platform) },
    ]),
  )
  return {
    answered: (platform, took) => byPlatform.get(platform)?.seconds.observe(took),
    firstTried: (platform, took) => byPlatform.get(platform)?.firstTries.observe(took),
    unknownAnswer: (platform) => byPlatform.get(platform)?.unknown.inc(),
    became(platform, outcome, code) {
      const isIt = (one: Counted) => one.platform === platform && one.outcome === outcome && one.code === code
      if (!last || !isIt(last)) last = counts.find(isIt)
      if (!last) counts.push((last = { platform, outcome, code, count: 0 }))
      last.count += 1
    },
  }
}

/** Makes the function by which a gauge shows, at each scrape, a number that another part of the dispatcher knows. */
const setTo = (read: () => number) =>
  function (this: { set(value: number): void }) {
    this.set(read())
  }
