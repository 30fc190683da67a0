/** What one POST resulted in: the status of the response, or a word for why there was none. */
export type PostAnswer = {
  status: number | null
  error: 'timeout' | 'network_error' | 'blocked_address' | null
  latencyMs: number
  /** For how many milliseconds the receiver asked to wait, at most an hour; null when it did not ask. */
  retryAfterMs: number | null
}

/** A delivery has at most this many attempts, the first included (spec: webhooks/retries). */
export const mostAttempts = 5

/** An endpoint is switched off when this many deliveries in a row have used up their attempts. */
export const failuresToDisable = 50

/**
 * What a response means for its delivery. `delivered`: 2xx. `retry`: attempted again after `inMs`. `exhausted`: the last attempt, counted towards the
 * 50 that switch the endpoint off. `refused`: the receiver does not want it; final, not counted.
 */
export type ResponseMeaning = { is: 'delivered' } | { is: 'retry'; inMs: number } | { is: 'exhausted' } | { is: 'refused' }

/**
 * Says what a response means for its delivery (spec: webhooks/answers). `tries` counts this attempt too. `random` is from 0 to 1. `wasLost`: the
 * attempt's process died.
 */
export function readResponse(
  answer: PostAnswer,
  { tries, baseMs, random, wasLost = false }: { tries: number; baseMs: number; random: number; wasLost?: boolean },
): ResponseMeaning {
  const { status, retryAfterMs } = answer
  if (status !== null && status >= 200 && status < 300) return { is: 'delivered' }
  // A receiver's name that leads to an address that is not public counts as no response: it may be right again at the next attempt.
  if (status !== null && !isRetried(status)) return { is: 'refused' }
  if (tries >= mostAttempts) return { is: 'exhausted' }
  // The first loss of a process is hardly the receiver's doing, so nothing is waited for.
  if (wasLost && tries === 1) return { is: 'retry', inMs: 0 }
  // The waits are 1, 2, 4 and 8 times the base (30 s), each up to 10 % longer, so that receivers that failed together are not called together again.
  // Retry-After never makes one shorter.
  const gap = baseMs * 2 ** (tries - 1) * (1 + random / 10)
  return { is: 'retry', inMs: Math.round(Math.max(gap, retryAfterMs ?? 0)) }
}

const isRetried = (status: number): boolean => status >= 500 || status === 429 || status === 408

/**
 * What is known of an endpoint after its attempts: how many deliveries in a row have failed, whether it is switched on, and its last response.
 * `isSwitchedOff`: these attempts have switched it off.
 */
export type Standing = { failures: number; isEnabled: boolean; isSwitchedOff: boolean; last: PostAnswer | null }

/**
 * Gives an endpoint's standing after an attempt. A 2xx clears its failures. An exhausted delivery is a failure, and the 50th in a row switches the
 * endpoint off. A retry or a refusal changes neither.
 */
export function standingAfter(before: Standing, answer: PostAnswer, meaning: ResponseMeaning['is']): Standing {
  const failures = meaning === 'delivered' ? 0 : before.failures + (meaning === 'exhausted' ? 1 : 0)
  const isDone = meaning === 'exhausted' && before.isEnabled && failures >= failuresToDisable
  return { failures, isEnabled: before.isEnabled && !isDone, isSwitchedOff: before.isSwitchedOff || isDone, last: answer }
}
