import { takeNext } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'
import { deliverGiven, type Dispatch } from './deliver-batch.ts'

/** After an answer that did not come: audience is away, or of a version that does not know the call. */
const againAfterMs = 1_000
/** While there is no room for another. */
const roomAfterMs = 20

/**
 * Waits for batches of small sends, always with one call, and delivers what it is given. A batch is leased from before the moment at which this
 * process began to wait for it: whoever slept meanwhile (a frozen process, a message that was long under way) finds its lease over
 * and sends nothing. Answers how to stop: nothing more is asked for, and what was given until then is in work.
 */
export function openTakeNext(dispatch: Dispatch, bus: Pick<Bus, 'call'>): () => Promise<void> {
  const stopping = new AbortController()
  const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const takeOnce = async (): Promise<number> => {
    const { room, full } = dispatch.jobs.room()
    if (Object.values(room).every((free) => free === 0)) return roomAfterMs
    const takenAt = performance.now()
    try {
      const { batches } = await bus.call(takeNext, { room, full: full.slice(0, 100) })
      await Promise.all(batches.map((given) => deliverGiven(dispatch, given, takenAt)))
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
