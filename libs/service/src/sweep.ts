import type { DatabaseWatch } from './health.ts'
import { secondsBuckets } from './metrics.ts'
import type { Service } from './run.ts'

/** The longest pause between two looks of a sweep for due rows. So a sweep soon finds a row whose pointer or poke was lost. */
const lookAgainMs = 1_000

export type Sweeper = {
  /** Makes the sweep look for due rows at once, because a row is due now. */
  poke(): void
}

/**
 * Starts a loop that looks for due rows again and again. `sweep` takes the rows that are due and not leased (`for update skip locked`, by the
 * database's clock) and works on them. `sweep` gives how many rows it took and in how long the next row is due. Schedules, retries, the recovery
 * after a crash and the repair of a lost NATS store all work like this. The loop pauses while the database is away, waits a second after a failure
 * unless it is poked, and ends only with the service.
 */
export function startSweep(
  service: Service,
  watch: DatabaseWatch,
  name: string,
  sweep: () => Promise<{ took: number; nextInMs?: number }>,
): Sweeper {
  const { promise: stopping, resolve: stop } = Promise.withResolvers<void>()
  let stopped = false
  let wake: (() => void) | undefined
  let poked = false
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      if (poked || stopped) return resolve()
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const seconds = service.metrics
    .histogram('herald_sweep_seconds', 'Duration of one run of a sweep, also of one that failed.', {
      labelNames: ['sweep'],
      buckets: secondsBuckets,
    })
    .labels(name)
  const loop = async () => {
    while (!stopped) {
      if (!watch.up) {
        // A poke does not end this wait. If it did, the loop would run without a pause, and the watch would never get its turn to find that the
        // database is back.
        await Promise.race([watch.whenUp(), stopping])
        continue
      }
      poked = false
      let pauseMs = lookAgainMs
      const measured = seconds.startTimer()
      try {
        const { took, nextInMs = lookAgainMs } = await watch.guard(sweep)
        pauseMs = took > 0 ? 0 : Math.max(5, Math.min(nextInMs, lookAgainMs))
      } catch (error) {
        if (watch.up) service.log.error({ sweep: name, err: error }, 'sweep failed')
      }
      measured()
      if (pauseMs > 0) await rest(pauseMs)
    }
  }
  const ended = loop()
  service.onStop(`sweep ${name}`, async () => {
    stopped = true
    stop()
    wake?.()
    await ended
  })
  return {
    poke() {
      poked = true
      wake?.()
    },
  }
}
