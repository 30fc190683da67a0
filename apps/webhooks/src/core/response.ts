/** What came of one POST: a status, or a word for why there was none. */
export type PostAnswer = {
  status: number | null
  error: 'timeout' | 'network_error' | 'blocked_address' | null
  latencyMs: number
  /** What the receiver asked for, milliseconds, or null. */
  retryAfterMs: number | null
}

/** Attempts in all, the first included (spec: webhooks/retries). */
export const mostAttempts = 5

/** Deliveries in a row that use up their attempts before the endpoint is switched off. */
export const failuresToDisable = 50

/** How long a receiver may put us off. */
const longestRetryAfterMs = 3_600_000

/** `delivered`: 2xx. `retry`: after so long. `exhausted`: it was the last attempt, which counts towards the 50. `refused`: final, counts nothing. */
export type ResponseMeaning = { is: 'delivered' } | { is: 'retry'; inMs: number } | { is: 'exhausted' } | { is: 'refused' }

/**
 * What an answer means for the delivery (spec: webhooks/answers). 5xx, 429, 408 and no answer are tried again after 1, 2, 4, 8 times the base
 * (30 s), lengthened by 0 to 10 % so that receivers that failed together do not come together; Retry-After lengthens, never shortens.
 * A 3xx or another 4xx is final. An address that is not public is no answer: its name may be right again at the next attempt.
 * `tries` counts this attempt; `random` is 0 to 1.
 */
export function readResponse(
  answer: PostAnswer,
  { tries, baseMs, random }: { tries: number; baseMs: number; random: number },
): ResponseMeaning {
  const { status, retryAfterMs } = answer
  if (status !== null && status >= 200 && status < 300) return { is: 'delivered' }
  if (status !== null && !isRetried(status)) return { is: 'refused' }
  if (tries >= mostAttempts) return { is: 'exhausted' }
  const gap = baseMs * 2 ** (tries - 1) * (1 + random / 10)
  return { is: 'retry', inMs: Math.round(Math.max(gap, Math.min(retryAfterMs ?? 0, longestRetryAfterMs))) }
}

const isRetried = (status: number): boolean => status >= 500 || status === 429 || status === 408

/** `Retry-After` (RFC 9110 10.2.3): seconds or a date, as milliseconds from now, never below 0. Anything else: null. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (text === '') return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}

/** How an endpoint stands after its attempts. `isSwitchedOff`: by its failures, just now. */
export type Standing = { failures: number; isEnabled: boolean; isSwitchedOff: boolean; last: PostAnswer | null }

/**
 * What an attempt says about its endpoint. A 2xx forgets the failures; an exhausted delivery counts, and the 50th in a row switches the
 * endpoint off; a retry or a final refusal counts nothing.
 */
export function standingAfter(before: Standing, answer: PostAnswer, meaning: ResponseMeaning['is']): Standing {
  const failures = meaning === 'delivered' ? 0 : before.failures + (meaning === 'exhausted' ? 1 : 0)
  const isDone = meaning === 'exhausted' && before.isEnabled && failures >= failuresToDisable
  return { failures, isEnabled: before.isEnabled && !isDone, isSwitchedOff: before.isSwitchedOff || isDone, last: answer }
}
