/** The two APNs environments. A device token belongs to one of them. */
export type Environment = 'production' | 'sandbox'

/**
 * What came of handing one push to a provider; only Herald's own mistakes are thrown. `reason`: a word of the provider or the system, cleaned by
 * `word()`: it is stored and logged, so without token, address or text.
 */
export type Answer =
  | {
      is: 'answered'
      status: number
      reason: string
      /** How long the provider asks Herald to wait; null when the answer does not say. */
      retryAfterMs: number | null
      /** Since when the token is dead, as an ISO date; null when the answer does not say. Only APNs says it. */
      deadSince: string | null
      /** The APNs environment that answered; null for other providers. */
      environment: Environment | null
    }
  /**
   * The provider surely did not process this push: it said so (GOAWAY with a lower last stream, REFUSED_STREAM), or the push was not written yet. So
   * it is safe to send the push again at once.
   */
  | { is: 'refused'; reason: string }
  /** No byte of the push left this process, for example because there was no connection. */
  | { is: 'unsent'; reason: string }
  /** Bytes of the push may have been sent, and no complete answer came: the push may have been delivered. */
  | { is: 'unanswered'; why: 'timeout' | 'broken'; reason: string }
  /**
   * The push cannot be sent. `keys`: the device's keys do not decode. `address`: Herald may not connect to the device's address. `credentials`: the
   * app's sealed key does not open.
   */
  | { is: 'unsendable'; why: 'keys' | 'address' | 'credentials' }

/** Cuts a provider's word down to what may be stored: letters, digits and a few signs, at most 100 characters. */
export const word = (text: unknown): string => (typeof text === 'string' ? text.replaceAll(/[^A-Za-z0-9_. -]/g, '').slice(0, 100) : '')

/** Gives an Error for whatever was thrown. A mistake of Herald's reaches the caller as an Error instead of an answer. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error('what was thrown is no error'))
