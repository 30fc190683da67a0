import type { HeraldError } from './errors.ts'

const firstDelayMs = 500
const longestDelayMs = 8_000
const longestRetryAfterSeconds = 60

/** Whether the same request may succeed in a moment. */
export const isTemporary = (error: HeraldError): boolean =>
  error.code === 'network_error' ||
  error.code === 'timeout' ||
  error.code === 'idempotency_in_progress' ||
  [429, 502, 503, 504].includes(error.status)

/** Whether Herald may have done what was asked although no answer of Herald's came: a proxy's 502 says nothing about it. */
export const mayHaveHappened = (error: HeraldError): boolean =>
  error.code === 'network_error' || error.code === 'timeout' || error.code === 'invalid_answer'

/**
 * How long to wait after try n, counted from 1; undefined when that is too long and the call fails with its error. A wait that Herald asks for is kept in full; else it is a
 * random part of a time that doubles, so that many callers do not come back together.
 */
export function delayAfter(attempt: number, retryAfterSeconds: number | undefined, random: () => number = Math.random): number | undefined {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds > longestRetryAfterSeconds ? undefined : retryAfterSeconds * 1000
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1))
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
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
