/** How many pushes had an outcome at the moment `at`, in milliseconds of a clock that never goes back. */
export type Sample = { at: number; settled: number }

/** The pace is an average over so many milliseconds, so that one slow second does not shake it. */
export const paceOverMs = 10_000

/** Outcomes per second over the samples (oldest first), to one decimal; 0 with fewer than two. */
export function paceOf(samples: readonly Sample[]): number {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.at <= oldest.at) return 0
  return Math.round(((newest.settled - oldest.settled) / (newest.at - oldest.at)) * 10_000) / 10
}

/** Seconds until the last push has an outcome at this pace; null while nothing moves. */
export const etaSeconds = (waiting: number, ratePerSecond: number): number | null =>
  waiting === 0 ? 0 : ratePerSecond <= 0 ? null : Math.ceil(waiting / ratePerSecond)
