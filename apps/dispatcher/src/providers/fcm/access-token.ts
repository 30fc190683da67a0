import type { KeyObject } from 'node:crypto'
import { fcmScope, mintOauthAssertion } from '@herald/auth/provider-token'
import { word, type Answer } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { field } from '../reply.ts'
import { answerLimitMs } from '../provider.ts'

/** A token is renewed this long before it ends, so that none ends on the way. */
const renewEarlyMs = 5 * 60_000

/** An OAuth token, or the answer that a push gets because there is none. Nothing was sent then, so repeating is safe. */
export type AccessTokenOrAnswer = { token: string } | { answer: Answer }

/** The OAuth token of a service account, minted per process and shared by its pushes; one request at a time. */
export type AccessTokens = {
  current(): Promise<AccessTokenOrAnswer>
  /** The token, if it is known and need not be renewed yet: what nearly every push uses, without a promise. */
  readonly fresh: { token: string } | undefined
  /** FCM refused this token: the next `current` gets a new one. */
  forget(refused: string): void
}

/** A clock that is further off than this is told of, and corrected by the token service's: it refuses what is signed a minute ahead. */
const clockLimitMs = 60_000

/** Trades assertions (RFC 7523) for tokens at `url`. They are dated by the token service's clock when ours is more than a minute off. */
export function openAccessTokens({
  clientEmail,
  privateKey,
  audience,
  url,
  onSkew = () => undefined,
}: {
  clientEmail: string
  privateKey: KeyObject
  /** The account's `token_uri`: what the assertion is made out to. */
  audience: string
  url: string
  /** This machine's clock is so many milliseconds ahead of the token service's (behind: below 0). */
  onSkew?: (aheadMs: number) => void
}): AccessTokens {
  let known: { token: string; until: number } | undefined
  let asking: Promise<AccessTokenOrAnswer> | undefined

  let aheadMs = 0

  /** Notes how far our clock is off by what the answer is dated. Answers whether an assertion would now be dated otherwise. */
  const noteClock = (date: string | null): boolean => {
    const seenMs = Date.now() - Date.parse(date ?? '')
    if (Number.isNaN(seenMs)) return false
    const wasMs = aheadMs
    aheadMs = Math.abs(seenMs) > clockLimitMs ? seenMs : 0
    const hasChanged = Math.abs(aheadMs - wasMs) > clockLimitMs
    if (hasChanged && aheadMs !== 0) onSkew(aheadMs)
    return hasChanged
  }

  const ask = async (): Promise<AccessTokenOrAnswer> => {
    const now = new Date(Date.now() - aheadMs)
    const assertion = mintOauthAssertion({ clientEmail, privateKey, tokenUri: audience, scope: fcmScope, now })
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    try {
      const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(answerLimitMs) })
      const answered: unknown = await response.json().catch(() => undefined)
      // Once more with its time: what was refused may have been nothing but our clock.
      if (noteClock(response.headers.get('date')) && response.status === 400) return await ask()
      if (!response.ok) return { answer: refusal(response.status, field(answered, 'error')) }
      const token = field(answered, 'access_token')
      const expiresIn = Number(field(answered, 'expires_in'))
      if (typeof token !== 'string' || !(expiresIn > 0)) return { answer: refusal(502, 'oauth answer') }
      // A short-lived one is used for half its time.
      known = { token, until: performance.now() + Math.max(expiresIn * 1000 - renewEarlyMs, expiresIn * 500) }
      return { token }
    } catch (error) {
      const failure = answerOfFailure(error)
      return { answer: { is: 'unsent', reason: `oauth ${'reason' in failure ? failure.reason : ''}`.trim() } }
    }
  }

  const fresh = () => (known && performance.now() < known.until ? known : undefined)

  return {
    get fresh() {
      return fresh()
    },
    async current() {
      const given = fresh()
      if (given) return { token: given.token }
      return (asking ??= ask().finally(() => (asking = undefined)))
    },
    forget(refused) {
      if (known?.token === refused) known = undefined
    },
  }
}

/** These say nothing of the account: the token service was too slow (408, also a proxy's word) or asks us to wait (429). */
const sayNothingOfUs: readonly number[] = [408, 429]

/** The account is not what Google knows: our credentials are wrong. Anything else is the token service's trouble. */
function refusal(status: number, reason: unknown): Answer {
  const isOurs = status >= 400 && status < 500 && !sayNothingOfUs.includes(status)
  return {
    is: 'answered',
    status: isOurs ? 401 : 503,
    reason: word(`oauth ${status} ${typeof reason === 'string' ? reason : ''}`).trim(),
    retryAfterMs: null,
    deadSince: null,
    environment: null,
  }
}
