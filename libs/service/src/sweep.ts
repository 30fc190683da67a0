import type { DatabaseWatch } from './health.ts'
import { secondsBuckets } from './metrics.ts'
import type { Service } from './run.ts'

/** A sweep that is not poked looks again after this. It is the repair time of whatever nobody announced. */
const lookAgainMs = 1_000

export type Sweeper = {
  /** Something is due now: look at once instead of within the second. */
  poke(): void
}

/**
 * The one loop of a service: `sweep` takes what is due and unleased (`for update skip locked`, database clock), does it,
 * and says how many it took and how long until the next is due. It is schedules, retries, crash recovery and a lost NATS
 * store. It pauses while the database is away and backs off when it fails; it never ends.
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
    .histogram('herald_sweep_seconds', 'One look of a sweep and what it did; ended by an error too.', {
      labelNames: ['sweep'],
      buckets: secondsBuckets,
    })
    .labels(name)
  const loop = async () => {
    while (!stopped) {
      if (!watch.up) {
        // Whatever pokes meanwhile: a rest that a poke cuts short would turn for ever here, without a turn for the watch to find the database.
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
