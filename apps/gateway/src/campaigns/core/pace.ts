/**
 * A reading of a send's progress: at the time `at`, `settled` of its pushes had an outcome. `at` is in milliseconds of a clock that never goes back.
 */
export type Sample = { at: number; settled: number }

/** The pace is an average over the last so many milliseconds, so that one slow second does not change it much. */
export const paceOverMs = 10_000

/** Gives the outcomes per second over the samples (oldest first), with one decimal; 0 for fewer than two samples. */
export function paceOf(samples: readonly Sample[]): number {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.at <= oldest.at) return 0
  return Math.round(((newest.settled - oldest.settled) / (newest.at - oldest.at)) * 10_000) / 10
}

/**
 * Estimates the pushes of a send of which `queued` came from the first `scanned` of `devices` devices, when the others are alike. Null while none was
 * scanned, or `devices` is unknown (null).
 */
export const expectedPushes = ({ queued, scanned, devices }: { queued: number; scanned: number; devices: number | null }): number | null =>
  devices === null || scanned === 0 ? null : Math.max(queued, Math.round((queued * devices) / scanned))

/**
 * Gives the seconds until the last waiting push has an outcome at this pace. 0 when no push waits. Null when pushes wait and the pace is 0, because
 * no push gets an outcome.
 */
export const etaSeconds = (waiting: number, ratePerSecond: number): number | null =>
  waiting === 0 ? 0 : ratePerSecond <= 0 ? null : Math.ceil(waiting / ratePerSecond)
