import { setTimeout as rest } from 'node:timers/promises'
import { takeNext } from '@herald/contracts/calls/audience'
import { perPlatform } from '@herald/contracts/platform'
import { deliverGiven } from './deliver-batch.ts'
import type { Dispatcher } from './dispatcher.ts'
import { openFreshness } from './freshness.ts'

/**
 * The pause before audience is asked again when a call failed. It need not be short: then audience is away, or has a version that does not know the
 * call.
 */
const againAfterMs = 1_000
/** While this process may take no further batch, it checks this often whether it may. */
const roomAfterMs = 20
/**
 * At most this many calls wait, one for each process of audience. NATS chooses who gets one: with four calls at four processes 68 % of small sends
 * begin where this dispatcher waits, with one 25 %.
 */
const mostWaits = 4
/** A process of audience that gave no answer for this long is gone. */
const forgottenAfterMs = 30_000

/**
 * Asks audience for small sends' batches and delivers them. A lease counts from the beginning of the wait, so that a frozen process sends nothing.
 * Gives the function that stops; it resolves when all deliveries have begun.
 */
export function openTakeNext(dispatcher: Dispatcher, deliver = deliverGiven): () => Promise<void> {
  const stopping = new AbortController()
  const heardAt = new Map<string, number>()
  const isFresh = openFreshness()
  const ends = new Set<Promise<void>>()
  let waits = 0
  /** For how many calls there is a process of audience. */
  const meant = (): number => {
    for (const [by, at] of heardAt) if (performance.now() - at > forgottenAfterMs) heardAt.delete(by)
    return Math.min(mostWaits, Math.max(1, heardAt.size))
  }
  const takeOnce = async (): Promise<number> => {
    const { room, full } = dispatcher.jobs.room()
    if (Object.values(room).every((free) => free === 0)) return roomAfterMs
    // Each call offers its part of the room, so that together they do not get more than there is room for.
    const share = perPlatform((platform) => Math.ceil(room[platform] / waits))
    const takenAt = performance.now()
    try {
      const { batches, by, at } = await dispatcher.bus.call(takeNext, { room: share, full: full.slice(0, 100) })
      if (by !== undefined) heardAt.set(by, performance.now())
      const fresh = by !== undefined && at !== undefined && isFresh(by, at)
      // Each batch has its place at once, so this process asks again before the deliveries have begun.
      for (const { content, ...given } of batches) track(deliver(dispatcher, fresh && content ? { ...given, content } : given, takenAt))
      return 0
    } catch {
      return againAfterMs
    }
  }
  const loop = async () => {
    while (!stopping.signal.aborted && waits <= meant()) {
      const pauseMs = await takeOnce()
      if (pauseMs > 0 && !stopping.signal.aborted) await rest(pauseMs)
      while (!stopping.signal.aborted && waits < meant()) begin()
    }
    // Before anything else runs: two loops that end together must not both be the one too many.
    waits -= 1
  }
  const track = (work: Promise<void>) => {
    const ended: Promise<void> = work.finally(() => ends.delete(ended))
    ends.add(ended)
  }
  const begin = () => {
    waits += 1
    track(loop())
  }
  begin()
  return async () => {
    stopping.abort()
    // The last answer of a wait may bring batches.
    while (ends.size > 0) await Promise.all(ends)
  }
}
