import { takeNext } from '@herald/contracts/calls/audience'
import { deliverGiven } from './deliver-batch.ts'
import type { Dispatcher } from './dispatcher.ts'

/**
 * The pause before audience is asked again when a call failed. It need not be short: then audience is away, or has a version that does not know the
 * call.
 */
const againAfterMs = 1_000
/** While this process may take no further batch, it checks this often whether it may. */
const roomAfterMs = 20

/**
 * Asks audience for batches of small sends, with one call at a time, and delivers the batches that audience gives. The lease of such a batch counts
 * from the moment at which this process began to wait. So a process that was frozen meanwhile, or that gets the answer late, finds the lease ended
 * and sends nothing. Gives the function that stops asking; it resolves when the delivery of every batch that was given has begun.
 */
export function openTakeNext(dispatcher: Dispatcher): () => Promise<void> {
  const stopping = new AbortController()
  const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const takeOnce = async (): Promise<number> => {
    const { room, full } = dispatcher.jobs.room()
    if (Object.values(room).every((free) => free === 0)) return roomAfterMs
    const takenAt = performance.now()
    try {
      const { batches } = await dispatcher.bus.call(takeNext, { room, full: full.slice(0, 100) })
      await Promise.all(batches.map((given) => deliverGiven(dispatcher, given, takenAt)))
      return 0
    } catch {
      return againAfterMs
    }
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const pauseMs = await takeOnce()
      if (pauseMs > 0 && !stopping.signal.aborted) await rest(pauseMs)
    }
  }
  const ended = loop()
  return async () => {
    stopping.abort()
    await ended
  }
}
