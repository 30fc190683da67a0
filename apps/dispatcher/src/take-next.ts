import { takeNext } from '@herald/contracts/calls/audience'
import { deliverGiven } from './deliver-batch.ts'
import type { Dispatcher } from './dispatcher.ts'

/** Audience is asked again so long after a call that failed: audience is away, or of a version that does not know the call. */
const againAfterMs = 1_000
/** While there is no room for another batch, it is looked for room so often. */
const roomAfterMs = 20

/**
 * Asks audience for batches of small sends, always with one call at a time, and delivers what it gives. The lease of such a batch counts from the moment at
 * which this process began to wait. So a process that was frozen meanwhile, or that gets the answer late, finds the lease over
 * and sends nothing. Gives the function that stops it: nothing more is asked for, and it resolves when all that was given is in work.
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
