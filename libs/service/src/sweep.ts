import type { DatabaseWatch } from './health.ts'
import { secondsBuckets } from './metrics.ts'
import type { Service } from './run.ts'

/** The pause between two looks after rows were found. So a sweep soon finds a row whose pointer or poke was lost. */
const lookAgainMs = 1_000
/**
 * While a sweep finds neither due nor planned rows, each of its pauses is a second longer than the one before, up to 5 s: an idle platform burned a
 * third of its CPU for looks each second. Most rows are due 5 s after their commit (`sweepAgain`) or later. Code that writes a row that is due
 * sooner pokes or stirs.
 */
const mostQuiet = 5

export type Sweeper = {
  /** Makes the sweep look for due rows at once, because a row is due now. */
  poke(): void
  /** Makes the sweep look within a second, because a row was written that may soon be due. */
  stir(): void
}

/**
 * Starts a loop that looks for due rows again and again. `sweep` takes the rows that are due and not leased (`for update skip locked`, by the
 * database's clock), works on them, and gives how many it took and in how long the next row is due. Schedules, retries and repairs all work like this.
 */
export function startSweep(
  service: Service,
  watch: DatabaseWatch,
  name: string,
  sweep: () => Promise<{ took: number; nextInMs?: number }>,
): Sweeper {
  const { promise: stopping, resolve: stop } = Promise.withResolvers<void>()
  let stopped = false
  let poked = false
  let quiet = 0
  let timer: NodeJS.Timeout | undefined
  let wake = () => {}
  const wakeIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(wake, ms)
  }
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      if (poked || stopped) return resolve()
      wake = resolve
      wakeIn(ms)
    })

  const seconds = service.metrics
    .histogram('herald_sweep_seconds', 'Duration of one run of a sweep, also of one that failed.', {
      labelNames: ['sweep'],
      buckets: secondsBuckets,
    })
    .labels(name)
  const loop = async () => {
    while (!stopped) {
      poked = false
      let pauseMs = lookAgainMs
      const measured = seconds.startTimer()
      try {
        const { took, nextInMs } = await watch.guard(sweep)
        quiet = took > 0 || poked || nextInMs !== undefined ? 0 : Math.min(quiet + 1, mostQuiet)
        pauseMs = took > 0 ? 0 : quiet > 0 ? quiet * lookAgainMs : Math.max(5, Math.min(nextInMs ?? lookAgainMs, lookAgainMs))
      } catch (error) {
        if (watch.up) service.log.error({ sweep: name, err: error }, 'sweep failed')
        else {
          // A poke does not end this wait. If it did, the loop would run without a pause, and the watch would never get its turn to find that the
          // database is back.
          await Promise.race([watch.whenUp(), stopping])
          pauseMs = 0
        }
      }
      measured()
      if (pauseMs > 0) await rest(pauseMs)
    }
  }
  const ended = loop()
  service.onStop(`sweep ${name}`, async () => {
    stopped = true
    stop()
    wakeIn(0)
    await ended
  })
  return {
    poke() {
      poked = true
      clearTimeout(timer)
      wake()
    },
    stir() {
      if (quiet > 1) wakeIn(lookAgainMs)
      quiet = 0
    },
  }
}
