import type { HeraldError } from './errors.ts'

const firstDelayMs = 500
const longestDelayMs = 8_000
const longestRetryAfterSeconds = 60

/** Whether the same request may succeed if it is sent again after a pause. */
export const isTemporary = (error: HeraldError): boolean =>
  error.code === 'network_error' ||
  error.code === 'timeout' ||
  error.code === 'idempotency_in_progress' ||
  [429, 502, 503, 504].includes(error.status)

/** Whether Herald may have carried out the request although the SDK got no answer of Herald's, for example when a proxy answered 502. */
export const mayHaveHappened = (error: HeraldError): boolean =>
  error.code === 'network_error' || error.code === 'timeout' || error.code === 'invalid_answer'

/**
 * Gives the milliseconds to wait after try number `attempt` (from 1): a random part of a time that doubles, or Herald's `retry-after` when longer.
 * Undefined when Herald asked for more than 60 s: the call fails.
 */
export function delayAfter(attempt: number, retryAfterSeconds: number | undefined, random: () => number = Math.random): number | undefined {
  if (retryAfterSeconds !== undefined && retryAfterSeconds > longestRetryAfterSeconds) return undefined
  const own = random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1))
  return Math.max(own, (retryAfterSeconds ?? 0) * 1000)
}

/** Resolves after `ms`. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
