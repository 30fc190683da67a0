import { maxTries } from '@herald/contracts/batch'
import { LRUCache } from 'lru-cache'

/** An origin to which nothing was sent for long may be forgotten: that it is away is noticed again within 20 answers. */
const keptOrigins = 5_000
/** An origin is away when this many pushes in a row found it away, or 10 when one of them has used up its tries: as audience's circuits have it for APNs and FCM. */
const awayFrom = 20
const awayFromExhausted = 2 * maxTries
/** The longer an origin is away, the longer its pushes wait: a quarter of the time that it has been away, and at most this. */
const longestWaitMs = 60_000
/** A host that is gone for good must not keep its pushes for their whole ttl of up to 28 days: a push that is older than this is tried as usual, and fails. */
export const heldForOriginMs = 3_600_000

/**
 * Which push services are away, as far as this process has heard, by app and host. Devices name the hosts, so a dead one must cost its own devices only, and no
 * row in a database.
 */
export type Origins = {
  /** Gives how long a push should wait before it is sent to an origin; 0 when it may be sent. A push that gets 0 from an origin that is away is its probe. */
  waitMs(origin: string): number
  /** Notes whether the origin answered a push, and says whether the origin is away. `isLast`: this was the push's last try. */
  heard(origin: string, what: 'an answer' | 'none', isLast: boolean): boolean
}

type Origin = { unanswered: number; awaySince: number | null; probeAt: number }

export function openOrigins(probeEveryMs: number, now: () => number = () => performance.now()): Origins {
  // Only origins that left a push without an answer are in here. An answer takes an origin out.
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
