import { queueUnavailable } from '@herald/contracts/fault'

/**
 * Work of which no more than `most` (by `weigh`) is in hand at once: what waits for a slow database is held in memory. Above it callers
 * hear queue_unavailable at once, keep what they have and come again. One that is larger than all is let in alone.
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
