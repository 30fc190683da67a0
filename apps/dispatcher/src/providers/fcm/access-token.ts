import type { KeyObject } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps, type Agent } from 'node:https'
import { fcmScope, mintOauthAssertion } from '@herald/auth/provider-token'
import { retryAfterMs } from '@herald/contracts/retry-after'
import { agentOn, directly, type WayOut } from '@herald/service/way-out'
import { word, type Answer } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { field, jsonOf } from '../reply.ts'
import { answerLimitMs } from '../provider.ts'

/** A token is renewed this long before it expires, so that none expires while a push is on its way. */
const renewEarlyMs = 5 * 60_000

/** An OAuth token, or the answer that a push gets because there is no token. Then nothing of the push was sent, so it is safe to send it again. */
export type AccessTokenOrAnswer = { token: string } | { answer: Answer }

/** The OAuth tokens of a service account. Each process asks for a token of its own, by one request at a time, and all its pushes share it. */
export type AccessTokens = {
  current(): Promise<AccessTokenOrAnswer>
  /** The known token, unless it needs to be renewed; then undefined. Nearly every push gets its token here, without a promise. */
  readonly fresh: { token: string } | undefined
  /** Forgets a token that FCM refused, so that the next `current()` gets a new one. */
  forget(refused: string): void
}

/**
 * Beyond this difference of clocks, assertions get the token service's date, and `onSkew` is called: the service refuses an assertion whose date is a
 * minute in the future.
 */
const clockLimitMs = 60_000

/** Trades signed assertions (RFC 7523) for OAuth tokens at `url`, also when this machine's clock is more than a minute off (`clockLimitMs`). */
export function openAccessTokens({
  clientEmail,
  privateKey,
  audience,
  url,
  onSkew = () => undefined,
  wayOut = directly,
}: {
  clientEmail: string
  privateKey: KeyObject
  /** The service account's `token_uri`: the assertion names it as its audience. */
  audience: string
  url: string
  /** Is called with how many milliseconds this machine's clock is ahead of the token service's clock; below 0 when it is behind. */
  onSkew?: (aheadMs: number) => void
  wayOut?: WayOut
}): AccessTokens {
  const agent = agentOn(wayOut, { connectMs: answerLimitMs })
  let known: { token: string; until: number } | undefined
  let asking: Promise<AccessTokenOrAnswer> | undefined

  let aheadMs = 0

  /** Notes how far this machine's clock is off, by the date of an answer. Says whether an assertion made now would get another date. */
  const noteClock = (date: string | undefined): boolean => {
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
      const { status, date, retryAfter, body: answered } = await post(url, body.toString(), agent)
      // Perhaps only the date of the assertion was wrong, so a new assertion is sent once with the token service's time.
      if (noteClock(date) && status === 400) return await ask()
      if (status < 200 || status > 299) return { answer: refusal(status, field(answered, 'error'), retryAfter) }
      const token = field(answered, 'access_token')
      const expiresIn = Number(field(answered, 'expires_in'))
      if (typeof token !== 'string' || !(expiresIn > 0)) return { answer: refusal(502, 'oauth answer') }
      // A token with a short life is renewed after half of it.
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

/** A token service answers with less than 2 kB. One that answers with more than this many bytes gives no token. */
const mostBytes = 65_536

type TokenAnswer = { status: number; date: string | undefined; retryAfter: string | undefined; body: unknown }

/**
 * Posts a form, and gives the answer with its body as JSON. A redirect is not followed. The answer is asked for unpacked and read up to a limit,
 * because whoever sets an app's credentials names the token service.
 */
function post(url: string, form: string, agent: Agent): Promise<TokenAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<TokenAnswer>()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(form),
    'accept-encoding': 'identity',
  }
  const options = { method: 'POST', headers, signal: AbortSignal.timeout(answerLimitMs) }
  const asked = url.startsWith('http:') ? requestHttp(url, options) : requestHttps(url, { ...options, agent })
  asked.on('response', (response) => {
    const { statusCode: status = 0 } = response
    // A 101 and a status below 100 are no answers.
    if (status < 200) return void asked.destroy()
    const parts: Buffer[] = []
    let bytes = 0
    response.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > mostBytes) response.destroy(new Error('the token service answers too much'))
      else parts.push(part)
    })
    response.on('error', reject)
    const { date, 'retry-after': retryAfter } = response.headers
    return response.on('end', () => resolve({ status, date, retryAfter, body: jsonOf(Buffer.concat(parts)) }))
  })
  asked.on('error', reject)
  // Without an answer, such as after a 101, Node tells only this.
  asked.on('close', () => reject(new Error('the token service gave no answer')))
  asked.end(form)
  return promise
}

/** These statuses say nothing about the account: the token service or a proxy was too slow (408), or asks Herald to wait (429). */
const sayNothingOfUs: readonly number[] = [408, 429]

/**
 * Makes the answer of a push without a token. Most statuses of 400 to 499 say that the credentials are wrong; any other says that the token service
 * is in trouble, and may ask Herald to wait.
 */
function refusal(status: number, reason: unknown, retryAfter?: string): Answer {
  const isOurs = status >= 400 && status < 500 && !sayNothingOfUs.includes(status)
  return {
    is: 'answered',
    status: isOurs ? 401 : 503,
    reason: word(`oauth ${status} ${typeof reason === 'string' ? reason : ''}`).trim(),
    retryAfterMs: isOurs ? null : retryAfterMs(retryAfter, new Date()),
    deadSince: null,
    environment: null,
  }
}
