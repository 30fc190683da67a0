import { queueUnavailable } from '@herald/contracts/fault'

/**
 * Holds at most `most` (by `weigh`) of the work at once, since requests that wait for a slow database are kept in memory. A request above that is refused
 * with queue_unavailable at once: its caller keeps what it has and comes again. A request that is larger than `most` runs when nothing else does.
 */
export function holdAtMost<Request, Answer>(
  work: (request: Request) => Promise<Answer>,
  { weigh, most }: { weigh: (request: Request) => number; most: number },
): (request: Request) => Promise<Answer> {
  let inHand = 0
  return async (request) => {
    const weight = weigh(request)
    if (inHand > 0 && inHand + weight > most) throw queueUnavailable()
    inHand += weight
    try {
      return await work(request)
    } finally {
      inHand -= weight
    }
  }
}
