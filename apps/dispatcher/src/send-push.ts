import type { CircuitEnvironment, Recipient, RefusedLetter } from '@herald/contracts/batch'
import type { FailureCode, SkipReason } from '@herald/contracts/outcome'
import type { PreparedSend } from '@herald/contracts/prepare-send'
import type { Answer, Environment } from './core/answer.ts'
import { isUnavailable, letterOf, readAnswer, type AnswerMeaning, type Letter } from './core/answer-meaning.ts'
import { isExpired, nextTry, secondsLeft, ttlLeftMs } from './core/retries.ts'
import type { Measures } from './measures.ts'
import { heldForOriginMs, type Origins } from './origins.ts'
import type { AppTransport, Provider, Push } from './providers/provider.ts'

/**
 * How a push ended, or when it is tried again. `tries`: the attempts that count, with this one. `environment`: the APNs environment that accepted, if
 * not the one that was asked first; otherwise null.
 */
export type AttemptResult = (
  | { is: 'sent'; tries: number; providerCode: string; environment: Environment | null }
  | { is: 'failed'; tries: number; code: FailureCode; providerCode: string; dead: Dead | null }
  | { is: 'skipped'; tries: number; code: SkipReason }
  | { is: 'retry'; tries: number; code: FailureCode; providerCode: string; inMs: number }
  /**
   * The provider was away: audience decides what becomes of the push. `inMs` is the wait before the next attempt; null when no attempt is left, or
   * when the ttl ends before the wait does.
   */
  | { is: 'unavailable'; tries: number; environment: CircuitEnvironment; code: FailureCode; providerCode: string; inMs: number | null }
  /** Either the device or the app's settings are wrong: audience decides which. `inMs`: when the push may be tried again; null when it may not. */
  | {
      is: 'guarded'
      tries: number
      code: FailureCode
      providerCode: string
      handedOverAt: number
      letter: RefusedLetter
      inMs: number | null
    }
) & {
  heard?: Heard | undefined
  /** The provider refused the push because of a quota of the credentials. */
  isQuota?: true
}

/** A dead token. A device that registered again after `handedOverAt` (by `performance.now()`) is alive, whatever the answer says. */
export type Dead = { handedOverAt: number; since: string | null }

/** What an answer says to the circuit of an environment. */
export type Heard = { environment: CircuitEnvironment; letter: Letter; code: FailureCode | null }

/** What is needed to send the pushes of a batch to one origin. */
export type Sending = {
  provider: Provider
  prepared: PreparedSend
  transport: AppTransport
  /** Makes the tracking id (msgId) of a push of this campaign and platform. */
  msgIdOf: (userId: string, subscriptionId: string, variant: string) => string
  /** In a recall: gives the msgId of a device's first push, which names the variant that its user got. */
  recalledOf?: ((userId: string, subscriptionId: string) => string) | undefined
  measures: Measures
  /** How many attempts at the provider there were before this one. */
  triesBefore: number
  /** Whether this push is the probe of an open circuit. When its answer says again that the credentials are wrong, the attempt does not count. */
  probe: boolean
  /** The waits before the second, third and further attempts, in seconds. */
  schedule: readonly number[]
  origins: Origins
  /** The key in `origins` for where the pushes go: the app's id and the name that the transport gives the origin. */
  origin: string
  /** When the ttl ends, in Unix seconds by the database's clock. */
  expiresAtSeconds: number
  /** Gives how many milliseconds of the ttl are used up by now. */
  elapsedMs: () => number
  /**
   * The last accepting answer and its result. APNs and FCM give one object for nearly every accepted push, so the next gets the same result.
   * Null before that, and for web push.
   */
  accepted: { answer: Answer; asked: CircuitEnvironment; result: AttemptResult } | null
}

const refusedAgainMs = 1_000
/**
 * How many milliseconds a push waits after it was the probe and its answer said that the credentials are wrong. Then audience queues it as a batch of
 * its own, so that another device gets the next probe.
 */
const probedAgainMs = 1_000

/**
 * Makes a recipient's push, or a result: its ttl is over, its platform takes no silent push, it has no content or does not fit, or its push
 * service is away. `limit`: bytes, after a device refused more.
 */
export function makePush(sending: Sending, recipient: Recipient, limit?: number): Push | AttemptResult {
  const { provider, prepared, triesBefore: tries } = sending
  const { send } = prepared
  const elapsedMs = sending.elapsedMs()
  if (isExpired(send.ttl, elapsedMs)) return { is: 'skipped', tries, code: 'expired' }
  if (send.silent && !provider.takesSilent) return { is: 'skipped', tries, code: 'silent_web' }
  const { userId, subscriptionId, address, keys, environment } = recipient
  const variant = prepared.variantFor(userId)
  const msgId = sending.msgIdOf(userId, subscriptionId, variant)
  const ttlSeconds = secondsLeft(send.ttl, elapsedMs)
  const recalled = sending.recalledOf?.(userId, subscriptionId)
  const encoded = prepared.payloadFor(provider.platform, recipient, variant, msgId, ttlSeconds, limit, recalled)
  if (!encoded) return { is: 'skipped', tries, code: 'empty_content' }
  if (!encoded.ok) return { is: 'failed', tries, code: 'payload_too_large', providerCode: `${encoded.bytes} bytes`, dead: null }

  const { silent, priority, collapseId, activity } = send
  const passive = send.presentation?.interruptionLevel === 'passive'
  const { expiresAtSeconds } = sending
  const waitMs = waitForOrigin(sending)
  if (waitMs > 0) return { is: 'retry', tries, code: 'provider_unavailable', providerCode: '', inMs: waitMs }
  return {
    msgId,
    address,
    keys,
    environment,
    body: encoded.body,
    collapseId,
    recalled,
    silent,
    priority,
    passive,
    ttlSeconds,
    expiresAtSeconds,
    ...(activity && { isActivity: true }),
  }
}

/**
 * Gives how long a push waits for its push service to come back, at most until the ttl ends. A probe, a push with a ttl of 0 and a push older than
 * `heldForOriginMs` do not wait.
 */
function waitForOrigin({ provider, prepared: { send }, origins, origin, probe, elapsedMs }: Sending): number {
  if (!provider.hasManyHosts || send.ttl === 0 || probe || elapsedMs() >= heldForOriginMs) return 0
  return Math.min(origins.waitMs(origin), ttlLeftMs(send.ttl, elapsedMs()))
}

/** Settles a push by its answer. `handedOverAt` is when the push was first handed over, by `performance.now()`. */
export function resultOf(sending: Sending, recipient: Recipient, answer: Answer, handedOverAt: number): AttemptResult {
  const { accepted } = sending
  if (answer === accepted?.answer && sending.transport.environmentOf(recipient) === accepted.asked) return accepted.result
  const { provider, prepared, transport, measures, triesBefore, probe, origins } = sending
  const meaning = readAnswer(provider.answers, answer)
  const heard = heardOf(sending, meaning, answer, transport.environmentOf(recipient))
  const tries = triesBefore + 1
  const left = ttlLeftMs(prepared.send.ttl, sending.elapsedMs())
  // spec: sending/ttl-zero. `nextTry` decides it for answers of a provider that may be repeated, this function for the others.
  const isNowOrNever = prepared.send.ttl === 0
  const { providerCode } = meaning
  const failed = (code: FailureCode, dead: Dead | null = null): AttemptResult => ({ is: 'failed', tries, code, providerCode, dead, heard })
  /** Settles the push as one that is sent again later; this attempt does not count. */
  const again = (code: FailureCode, inMs: number): AttemptResult => ({ is: 'retry', tries: triesBefore, code, providerCode, inMs, heard })
  // The tokens of Live Activities end with them: they say nothing about the device, and to the circuit nothing about the app's settings.
  if (prepared.send.activity && (meaning.class === 'dead' || meaning.class === 'guarded')) {
    const isDead = meaning.code === 'token_dead' || meaning.code === 'token_invalid'
    const dead = isDead ? { handedOverAt, since: null } : null
    return { is: 'failed', tries, code: meaning.code, providerCode, dead }
  }
  const isAway = provider.hasManyHosts && noteOrigin(origins, sending.origin, meaning, answer, tries)

  switch (meaning.class) {
    case 'sent': {
      const acceptedBy = answer.is === 'answered' ? answer.environment : null
      const asked = transport.environmentOf(recipient)
      const environment = acceptedBy === asked ? null : acceptedBy
      const result: AttemptResult = { is: 'sent', tries, providerCode, environment, heard }
      // A provider with many hosts gets a new result for each push, because the answer of each host has to be noted.
      if (!provider.hasManyHosts) sending.accepted = { answer, asked, result }
      return result
    }
    case 'dead':
      return failed(meaning.code, { handedOverAt, since: answer.is === 'answered' ? answer.deadSince : null })
    case 'bad':
      return failed(meaning.code)
    case 'guarded':
    case 'suspect': {
      // A push with a ttl of 0 fails now, because it cannot wait for the decision of audience, which may let a push be tried again.
      if (isNowOrNever) return failed(meaning.code)
      const next =
        meaning.class === 'suspect' ? nextTry(meaning, { tries, ttlLeftMs: left, schedule: sending.schedule, random: Math.random() }) : null
      const letter = meaning.class === 'suspect' ? 'w' : 'provesCredentials' in meaning && meaning.provesCredentials ? 't' : 'g'
      return {
        is: 'guarded',
        tries,
        code: meaning.code,
        providerCode,
        handedOverAt,
        letter,
        inMs: next?.is === 'retry' ? next.inMs : null,
        heard,
      }
    }
    case 'config':
      // The device is not at fault, so its push waits until the circuit closes.
      return isNowOrNever ? failed(meaning.code) : again(meaning.code, probe ? probedAgainMs : 0)
    case 'refused':
      if (left > refusedAgainMs) return again('provider_unavailable', refusedAgainMs)
      return { ...failed('provider_unavailable'), tries: triesBefore }
    case 'quota': {
      const next = nextTry(meaning, { tries, ttlLeftMs: left, schedule: sending.schedule, random: Math.random() })
      return { ...(next.is === 'retry' ? again(meaning.code, next.inMs) : failed(next.code)), isQuota: true }
    }
    case 'retry':
    case 'unknown': {
      if (meaning.code === 'internal') measures.unknownAnswer(provider.platform)
      const next = nextTry(meaning, { tries, ttlLeftMs: left, schedule: sending.schedule, random: Math.random() })
      if (isUnavailable(meaning) && !isNowOrNever) {
        const waitMs = isAway ? waitForOrigin(sending) : 0
        if (waitMs > 0) return again(meaning.code, waitMs)
        const environment = transport.environmentOf(recipient)
        const inMs = next.is === 'retry' ? next.inMs : null
        if (!provider.hasManyHosts) return { is: 'unavailable', tries, environment, code: meaning.code, providerCode, inMs, heard }
      }
      return next.is === 'retry' ? { is: 'retry', tries, code: meaning.code, providerCode, inMs: next.inMs, heard } : failed(next.code)
    }
  }
}

/**
 * Tells `origins` whether the push service answered, and says whether it is away. A push that the push service refused without processing it, or that
 * cannot be sent, changes nothing in `origins`.
 */
function noteOrigin(origins: Origins, origin: string, meaning: AnswerMeaning, answer: Answer, tries: number): boolean {
  if (isUnavailable(meaning)) return origins.heard(origin, 'none', tries >= meaning.maxTries)
  return answer.is === 'answered' && origins.heard(origin, 'an answer', false)
}

/**
 * Says what an answer tells a circuit; undefined for nothing, such as one of many push services away. An acceptance counts for the environment that
 * accepted, a refusal for the one asked first.
 */
function heardOf({ provider, probe }: Sending, meaning: AnswerMeaning, answer: Answer, asked: CircuitEnvironment): Heard | undefined {
  const letter = letterOf(meaning, answer, probe)
  const isOfOneHost = letter === 'u' || letter === 'a' || (letter === 'p' && !probe)
  if (!letter || (provider.hasManyHosts && isOfOneHost)) return undefined
  const accepted = letter === 's' && answer.is === 'answered' ? answer.environment : null
  const hasCode = letter !== 'a' && letter !== 'p' && 'code' in meaning
  return { environment: accepted ?? asked, letter, code: hasCode ? meaning.code : null }
}
