import type { CircuitEnvironment, Recipient } from '@herald/contracts/batch'
import type { FailureCode, SkipReason } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { PreparedSend } from '@herald/contracts/prepare-send'
import type { Answer, Environment } from './core/answer.ts'
import { isExpired, secondsLeft, ttlLeftMs } from './core/expiry.ts'
import { isUnavailable, readAnswer, letterOf, type Letter, type AnswerMeaning } from './core/provider-answers.ts'
import { nextTry } from './core/retries.ts'
import type { Measures } from './measures.ts'
import { heldForOriginMs, type Origins } from './origins.ts'
import type { AppTransport } from './open-transports.ts'
import type { Push } from './transports/transport.ts'

/**
 * How a push ended, or when it is to be tried again. `tries` counts tries at the provider, this one included. Of one that was sent, `environment` is
 * the one that accepted it, where that is another than the one it was sent to first.
 */
export type Settlement = (
  | { is: 'sent'; tries: number; providerCode: string; environment: Environment | null }
  | { is: 'failed'; tries: number; code: FailureCode; providerCode: string; dead: Dead | null }
  | { is: 'skipped'; tries: number; code: SkipReason }
  | { is: 'retry'; tries: number; code: FailureCode; providerCode: string; inMs: number }
  /** The provider was not there: audience has the word. `inMs` null: its tries or its ttl are used up. */
  | { is: 'unavailable'; tries: number; environment: CircuitEnvironment; code: FailureCode; providerCode: string; inMs: number | null }
  /** The mass guard has the word: the token was refused, or our settings are wrong. */
  | { is: 'guarded'; tries: number; code: FailureCode; providerCode: string; handedOverAt: number }
) & { heard?: Heard | undefined }

/** The token is no more. A device that registered again after we handed over (`performance.now()`) is alive, whatever the answer says. */
export type Dead = { handedOverAt: number; since: string | null }

/** What an answer says to the circuit of an environment. */
export type Heard = { environment: CircuitEnvironment; letter: Letter; code: FailureCode | null }

/** What sending a push of a batch needs. */
export type Sending = {
  platform: Platform
  prepared: PreparedSend
  transport: AppTransport
  /** The tracking id of a push of this campaign and platform. */
  msgIdOf: (userId: string, subscriptionId: string, variant: string) => string
  measures: Measures
  /** Tries at the provider before this one. */
  triesBefore: number
  /** It is the probe of an open circuit: an answer that says so again counts no try. */
  probe: boolean
  /** Waits before try n + 1, seconds. */
  schedule: readonly number[]
  origins: Origins
  /** The name of where the push goes among `origins`: an app's push service. */
  origin: string
  /** When the ttl ends, Unix seconds by the database's clock. */
  expiresAtSeconds: number
  /** Milliseconds of the ttl that are used up by now. */
  elapsedMs: () => number
  /** What the last acceptance came to: nearly every answer is the same one, and comes to the same. */
  accepted: { answer: Answer; asked: CircuitEnvironment; settlement: Settlement } | null
}

const refusedAgainMs = 1_000
/** What comes back from a probe lies in a row of its own, so that the next one tries another device. */
const probedAgainMs = 1_000

/** Makes a recipient's push, or its end without one: is there time left → what it says → does it fit → is its push service there. */
export function makePush(sending: Sending, recipient: Recipient): Push | Settlement {
  const { platform, prepared, triesBefore: tries } = sending
  const { send } = prepared
  const elapsedMs = sending.elapsedMs()
  if (isExpired(send.ttl, elapsedMs)) return { is: 'skipped', tries, code: 'expired' }
  if (send.silent && platform === 'web') return { is: 'skipped', tries, code: 'silent_web' }
  const { userId, subscriptionId, address, keys, environment } = recipient
  const variant = prepared.variantFor(userId)
  const msgId = sending.msgIdOf(userId, subscriptionId, variant)
  const ttlSeconds = secondsLeft(send.ttl, elapsedMs)
  const encoded = prepared.payloadFor(platform, recipient, variant, msgId, ttlSeconds)
  if (!encoded) return { is: 'skipped', tries, code: 'empty_content' }
  if (!encoded.ok) return { is: 'failed', tries, code: 'payload_too_large', providerCode: `${encoded.bytes} bytes`, dead: null }

  const { silent, priority, collapseId } = send
  const { expiresAtSeconds } = sending
  const waitMs = waitForOrigin(sending)
  if (waitMs > 0) return { is: 'retry', tries, code: 'provider_unavailable', providerCode: '', inMs: waitMs }
  return { msgId, address, keys, environment, body: encoded.body, collapseId, silent, priority, ttlSeconds, expiresAtSeconds }
}

/** How long a web push waits for its push service to come back, never past its ttl; now or never does not wait. */
function waitForOrigin({ platform, prepared: { send }, origins, origin, probe, elapsedMs }: Sending): number {
  if (platform !== 'web' || send.ttl === 0 || probe || elapsedMs() >= heldForOriginMs) return 0
  return Math.min(origins.waitMs(origin), ttlLeftMs(send.ttl, elapsedMs()))
}

/** What the answer to a push means for it. `handedOverAt`: when it was handed over first, by performance.now(). */
export function settle(sending: Sending, recipient: Recipient, answer: Answer, handedOverAt: number): Settlement {
  const { accepted } = sending
  if (answer === accepted?.answer && sending.transport.environmentOf(recipient) === accepted.asked) return accepted.settlement
  const { platform, prepared, transport, measures, triesBefore, probe, origins } = sending
  const meaning = readAnswer(platform, answer)
  const heard = heardOf(platform, meaning, answer, transport.environmentOf(recipient))
  const tries = triesBefore + 1
  const left = ttlLeftMs(prepared.send.ttl, sending.elapsedMs())
  const isNowOrNever = prepared.send.ttl === 0
  const { providerCode } = meaning
  const failed = (code: FailureCode, dead: Dead | null = null): Settlement => ({ is: 'failed', tries, code, providerCode, dead, heard })
  const again = (code: FailureCode, inMs: number): Settlement => ({ is: 'retry', tries: triesBefore, code, providerCode, inMs, heard })
  const isAway = platform === 'web' && hearOrigin(origins, sending.origin, meaning, answer, tries)

  switch (meaning.class) {
    case 'sent': {
      const acceptedBy = answer.is === 'answered' ? answer.environment : null
      const asked = transport.environmentOf(recipient)
      const environment = acceptedBy === asked ? null : acceptedBy
      const settlement: Settlement = { is: 'sent', tries, providerCode, environment, heard }
      // On iOS it is the answer that says which circuit has heard it; elsewhere there is one.
      if (platform !== 'web' && (acceptedBy !== null || platform === 'android')) sending.accepted = { answer, asked, settlement }
      return settlement
    }
    case 'dead':
      return failed(meaning.code, { handedOverAt, since: answer.is === 'answered' ? answer.deadSince : null })
    case 'bad':
      return failed(meaning.code)
    case 'guarded':
      // It may be decided that it is tried again, which is too late for now or never.
      if (isNowOrNever) return failed(meaning.code)
      return { is: 'guarded', tries, code: meaning.code, providerCode, handedOverAt, heard }
    case 'config':
      // Not the device's fault: it waits for the circuit to close, and no try was made.
      return isNowOrNever ? failed(meaning.code) : again(meaning.code, probe ? probedAgainMs : 0)
    case 'refused':
      if (left > refusedAgainMs) return again('provider_unavailable', refusedAgainMs)
      return { ...failed('provider_unavailable'), tries: triesBefore }
    case 'suspect':
    case 'retry':
    case 'unknown': {
      if (meaning.class === 'suspect' && probe && !isNowOrNever) return again(meaning.code, probedAgainMs)
      if (meaning.code === 'internal') measures.unknownAnswer(platform)
      const next = nextTry(meaning, { tries, ttlLeftMs: left, schedule: sending.schedule, random: Math.random() })
      if (isUnavailable(meaning) && !isNowOrNever) {
        const waitMs = isAway ? waitForOrigin(sending) : 0
        if (waitMs > 0) return again(meaning.code, waitMs)
        const environment = transport.environmentOf(recipient)
        const inMs = next.is === 'retry' ? next.inMs : null
        if (platform !== 'web') return { is: 'unavailable', tries, environment, code: meaning.code, providerCode, inMs, heard }
      }
      return next.is === 'retry' ? { is: 'retry', tries, code: meaning.code, providerCode, inMs: next.inMs, heard } : failed(next.code)
    }
  }
}

/** Whether a push service is away, with what came of this push. A push that was not sent says nothing of it. */
function hearOrigin(origins: Origins, origin: string, meaning: AnswerMeaning, answer: Answer, tries: number): boolean {
  if (isUnavailable(meaning)) return origins.heard(origin, 'none', tries >= meaning.maxTries)
  return answer.is === 'answered' && origins.heard(origin, 'an answer', false)
}

/** An acceptance speaks of the environment that accepted, a refusal of the one that was asked first. */
function heardOf(platform: Platform, meaning: AnswerMeaning, answer: Answer, asked: CircuitEnvironment): Heard | undefined {
  const letter = letterOf(meaning, answer)
  if (!letter || (platform === 'web' && (letter === 'u' || letter === 'a'))) return undefined
  const accepted = letter === 's' && answer.is === 'answered' ? answer.environment : null
  return { environment: accepted ?? asked, letter, code: letter !== 'a' && 'code' in meaning ? meaning.code : null }
}
