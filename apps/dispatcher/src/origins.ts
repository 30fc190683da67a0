import { maxTries } from '@herald/contracts/batch'
import { LRUCache } from 'lru-cache'

/** An origin nobody has sent to for long may be forgotten: it is found out again within 20 answers. */
const keptOrigins = 5_000
/** As audience's circuits judge APNs and FCM: 20 answers in a row, or 10 when a push has used up its tries on them. */
const awayFrom = 20
const awayFromExhausted = 2 * maxTries
/** An origin that has been away long is looked for by its devices less often: at most a quarter of that time later, and at most a minute. */
const longestWaitMs = 60_000
/** A host that is gone for good must not keep its pushes for their whole ttl of up to 28 days: after this they are tried as usual, and fail. */
export const heldForOriginMs = 3_600_000

/**
 * Which push services are away, as this process hears it, by app and host. Each is away for itself: hosts are named by devices, so one that
 * is dead must cost its own devices only, and no row in a database.
 */
export type Origins = {
  /** How long a push should wait before it is sent there; 0: it may be sent. Who gets 0 from an origin that is away is its probe. */
  waitMs(origin: string): number
  /** What came of a push. `isLast`: of its tries. Answers whether the origin is away. */
  heard(origin: string, what: 'an answer' | 'none', isLast: boolean): boolean
}

type Origin = { unanswered: number; awaySince: number | null; probeAt: number }

export function openOrigins(probeEveryMs: number, now: () => number = () => performance.now()): Origins {
  // Only origins that have been unavailable are in it: an answer takes them out.
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
