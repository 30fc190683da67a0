import { maxTries } from '@herald/contracts/batch'
import { LRUCache } from 'lru-cache'

/**
 * At most this many origins are remembered. When an origin is forgotten while it is away, its next 20 unanswered pushes find it away again
 * (`awayFrom`).
 */
const keptOrigins = 5_000
/**
 * An origin is away after so many pushes in a row without an answer, or `awayFromExhausted` (10) when the last has used up its attempts: the numbers
 * of audience's circuits.
 */
const awayFrom = 20
const awayFromExhausted = 2 * maxTries
/**
 * The longest wait of a push to an origin that is away, unless the next probe comes later. Up to this limit it waits a quarter of the time away, and
 * at least until that probe.
 */
const longestWaitMs = 60_000
/**
 * A push older than this no longer waits for its origin: it is tried, and fails after its last attempt. Otherwise a host gone for good would keep
 * pushes for a ttl of up to 28 days.
 */
export const heldForOriginMs = 3_600_000

/**
 * Which origins (an app's push services, by host) are away, as far as this process knows. A dead host must cost its own devices only, and no row in a
 * database, because any device can name a host.
 */
export type Origins = {
  /** Gives how long a push should wait before it is sent to an origin; 0 when it may be sent. A push to an origin that is away is then the probe. */
  waitMs(origin: string): number
  /** Notes whether the origin answered a push, and says whether the origin is away now. `isLast`: this was the push's last attempt. */
  heard(origin: string, what: 'an answer' | 'none', isLast: boolean): boolean
}

type Origin = { unanswered: number; awaySince: number | null; probeAt: number }

export function openOrigins(probeEveryMs: number, now: () => number = () => performance.now()): Origins {
  // Holds only the origins that left their last push without an answer: an answer removes the origin.
  const origins = new LRUCache<string, Origin>({ max: keptOrigins })
  return {
    waitMs(name) {
      const origin = origins.get(name)
      if (!origin || origin.awaySince === null) return 0
      if (now() >= origin.probeAt) {
        origin.probeAt = now() + probeEveryMs
        return 0
      }
      return Math.max(origin.probeAt - now(), Math.min((now() - origin.awaySince) / 4, longestWaitMs))
    },
    heard(name, what, isLast) {
      if (what === 'an answer') {
        origins.delete(name)
        return false
      }
      const origin = origins.get(name) ?? { unanswered: 0, awaySince: null, probeAt: 0 }
      origins.set(name, origin)
      origin.unanswered += 1
      if (origin.awaySince === null && (origin.unanswered >= awayFrom || (isLast && origin.unanswered >= awayFromExhausted))) {
        origin.awaySince = now()
        origin.probeAt = now() + probeEveryMs
      }
      return origin.awaySince !== null
    },
  }
}
