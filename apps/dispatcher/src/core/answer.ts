/** The two APNs environments; a token belongs to one of them. */
export type Environment = 'production' | 'sandbox'

/**
 * What came of handing one push to a provider. A "no" is a value, and so is silence; only our own mistakes are thrown.
 * `reason` is a word of the provider's or the system's, cleaned by `word()`: it ends in the ledger and in logs, so it
 * never holds a token, an address or text.
 */
export type Answer =
  /** The provider answered. */
  | {
      is: 'answered'
      status: number
      reason: string
      /** How long the provider asks us to wait; null when it does not say. */
      retryAfterMs: number | null
      /** Since when the token is dead, ISO, where APNs says so (410); null when the answer does not say. */
      deadSince: string | null
      /** The APNs environment that answered; null for other providers. */
      environment: Environment | null
    }
  /** The provider said that it did not process this push (GOAWAY above last_stream_id, REFUSED_STREAM): safe to repeat at once. */
  | { is: 'refused'; reason: string }
  /** Nothing left this process: there was no connection to send the push on. */
  | { is: 'unsent'; reason: string }
  /** Bytes left and no answer came: the push may have been delivered. */
  | { is: 'unanswered'; why: 'timeout' | 'broken'; reason: string }
  /** The push cannot be sent: the device's keys do not decode, its address is not one we may connect to, or our credentials do not open. */
  | { is: 'unsendable'; why: 'keys' | 'address' | 'credentials' }

/** Cuts a provider's word to what may be kept: letters, digits and a few signs, at most 100 characters. */
export const word = (text: unknown): string => (typeof text === 'string' ? text.replaceAll(/[^A-Za-z0-9_. -]/g, '').slice(0, 100) : '')

const longestRetryAfterMs = 3_600_000

/** Reads `Retry-After` (RFC 9110 10.2.3), which is seconds or a date. Gives milliseconds from now, at most an hour; null for anything else. */
export function retryAfterMs(header: unknown, now: Date): number | null {
  if (typeof header !== 'string' || header.trim() === '') return null
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestRetryAfterMs)
}

/** Makes an Error of whatever was thrown: a mistake of ours is heard as an Error beside answers. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error('what was thrown is no error'))
