import { queueUnavailable } from '@herald/contracts/fault'

/**
 * Runs requests whose weights (by `weigh`) add up to at most `most` at a time, since requests that wait for a slow database are kept in memory. Any
 * further request is refused at once with queue_unavailable: its caller keeps the request and sends it again. A request that is heavier than `most`
 * runs when no other does.
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
