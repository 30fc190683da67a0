import type { KeyObject } from 'node:crypto'
import { fcmScope, mintOauthAssertion } from '@herald/auth/provider-token'
import { word, type Answer } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { field } from '../reply.ts'
import { answerLimitMs } from '../provider.ts'

/** A token is renewed this long before it ends, so that none ends while a push is on its way. */
const renewEarlyMs = 5 * 60_000

/** An OAuth token, or the answer that a push gets because there is no token. Nothing of the push was sent then, so repeating it is safe. */
export type AccessTokenOrAnswer = { token: string } | { answer: Answer }

/** The OAuth token of a service account. Each process asks for one of its own, by one request at a time, and all its pushes share it. */
export type AccessTokens = {
  current(): Promise<AccessTokenOrAnswer>
  /** The token, if it is known and need not be renewed yet. Nearly every push uses it so, without a promise. */
  readonly fresh: { token: string } | undefined
  /** Forgets a token that FCM refused: the next `current` gets a new one. */
  forget(refused: string): void
}

/** When our clock is further off than this, `onSkew` hears of it and assertions are dated by the token service's clock, which refuses those of a minute ahead. */
const clockLimitMs = 60_000

/** Trades assertions (RFC 7523) for tokens at `url`. Assertions are dated by the token service's clock when ours is more than a minute off. */
export function openAccessTokens({
  clientEmail,
  privateKey,
  audience,
  url,
  onSkew = () => undefined,
}: {
  clientEmail: string
  privateKey: KeyObject
  /** The account's `token_uri`: the assertion names it as the one that it is for. */
  audience: string
  url: string
  /** Hears that this machine's clock is so many milliseconds ahead of the token service's; below 0 when it is behind. */
  onSkew?: (aheadMs: number) => void
}): AccessTokens {
  let known: { token: string; until: number } | undefined
  let asking: Promise<AccessTokenOrAnswer> | undefined

  let aheadMs = 0

  /** Notes how far our clock is off, by the date of an answer. Says whether an assertion would now get another date. */
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
      // The assertion may have been refused for nothing but its date, so it is sent once more with the token service's time.
      if (noteClock(response.headers.get('date')) && response.status === 400) return await ask()
      if (!response.ok) return { answer: refusal(response.status, field(answered, 'error')) }
      const token = field(answered, 'access_token')
      const expiresIn = Number(field(answered, 'expires_in'))
      if (typeof token !== 'string' || !(expiresIn > 0)) return { answer: refusal(502, 'oauth answer') }
      // A token that lives for a short time is used for half of it.
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

/** These statuses say nothing of the account: the token service or a proxy was too slow (408), or asks us to wait (429). */
const sayNothingOfUs: readonly number[] = [408, 429]

/** Makes the answer of a push whose token was refused. Most statuses of 400 to 499 say that our credentials are wrong; for anything else the token service is in trouble. */
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
