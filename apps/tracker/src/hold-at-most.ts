import { queueUnavailable } from '@herald/contracts/fault'

/**
 * Runs requests whose weights (by `weigh`) add up to at most `most` at a time, because they wait in memory. A further request is refused with
 * queue_unavailable, and its caller repeats it. A request heavier than `most` runs alone.
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
