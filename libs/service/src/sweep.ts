import type { DatabaseWatch } from './health.ts'
import { secondsBuckets } from './metrics.ts'
import type { Service } from './run.ts'

/** The pause between two looks after rows were found. So a sweep soon finds a row whose pointer or poke was lost. */
const lookAgainMs = 1_000
/**
 * While a sweep finds nothing due or planned, each pause is a second longer, up to 5 s: looks each second took a third of an idle platform's CPU.
 * Code that writes a row due before `sweepAgain` pokes or stirs.
 */
const mostQuiet = 5

export type Sweeper = {
  /** Makes the sweep look for due rows at once, because a row is due now. */
  poke(): void
  /** Makes the sweep look within a second, because a row was written that may soon be due. */
  stir(): void
}

/**
 * Starts a loop in which `sweep` takes due rows without a lease (`for update skip locked`, by the database's clock), works on them, and gives how many
 * it took and when the next is due.
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
