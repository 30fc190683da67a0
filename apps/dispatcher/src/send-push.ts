import { mintMessageId } from '@herald/auth/message-id'
import type { Recipient } from '@herald/contracts/batch'
import type { FailureCode, SkipReason } from '@herald/contracts/outcome'
import { encodePush } from '@herald/contracts/payload'
import type { Platform } from '@herald/contracts/platform'
import type { Answer, Environment } from './core/answer.ts'
import { isExpired, secondsLeft, ttlLeftMs } from './core/expiry.ts'
import { judge, type Verdict } from './core/provider-answers.ts'
import type { PreparedSend } from './core/render.ts'
import { nextTry } from './core/retries.ts'
import type { Push, Transport } from './transports/transport.ts'

/** How a push ended, or when it is to be tried again. `tries` counts tries at the provider, this one included. */
export type Settlement =
  | { is: 'sent'; tries: number; providerCode: string; environment: Environment | null }
  /** `deadSince`: the token is no more since then. */
  | { is: 'failed'; tries: number; code: FailureCode; providerCode: string; deadSince: string | null }
  | { is: 'skipped'; tries: number; code: SkipReason }
  | { is: 'retry'; tries: number; retryAt: Date }

/** What sending a push of a batch needs. */
export type Sending = {
  platform: Platform
  prepared: PreparedSend
  transport: Transport
  hmacSecret: string
  /** Tries at the provider before this one. */
  triesBefore: number
  /** Milliseconds of the ttl that are used up by now. */
  elapsedMs: () => number
  /** Whether the batch is still ours to send and the process is not stopping. */
  mayGoOn: () => boolean
  /** Ends a wait for an answer when the process cannot wait any longer. */
  untilCutOff: (answer: Promise<Answer>) => Promise<Answer>
}

/** Resends of a push that the provider did not process count no try, so they are bounded here. */
const resends = 5
const refusedAgainMs = 1_000

/** Sends one push: is there time left → what it says → does it fit → hand it over → what the answer means. */
export async function sendPush(sending: Sending, recipient: Recipient): Promise<Settlement> {
  const { platform, prepared, triesBefore: tries } = sending
  const { send } = prepared
  const elapsedMs = sending.elapsedMs()
  if (isExpired(send.ttl, elapsedMs)) return { is: 'skipped', tries, code: 'expired' }
  if (send.silent && platform === 'web') return { is: 'skipped', tries, code: 'silent_web' }
  const entry = prepared.entryFor(recipient, new Date())
  if (entry === undefined || (entry === null && !send.silent)) return { is: 'skipped', tries, code: 'empty_content' }

  const { appId, campaignId } = send
  const { userId, subscriptionId, address, keys, environment } = recipient
  const msgId = mintMessageId(sending.hmacSecret, { appId, campaignId, userId, subscriptionId, platform, variant: '' })
  const ttlSeconds = secondsLeft(send.ttl, elapsedMs)
  const encoded = encodePush(platform, { msgId, entry, send }, address, ttlSeconds)
  if (!encoded.ok) return { is: 'failed', tries, code: 'payload_too_large', providerCode: `${encoded.bytes} bytes`, deadSince: null }

  const { silent, priority, collapseId } = send
  const push: Push = { msgId, address, keys, environment, body: encoded.body, collapseId, silent, priority, ttlSeconds }
  const handedOverAt = new Date()
  const answer = await handOver(sending, push)
  return settle(sending, answer, handedOverAt)
}

/** A push that the provider surely did not process is sent again at once, a few times: on another connection it passes. */
async function handOver({ transport, platform, mayGoOn, untilCutOff }: Sending, push: Push): Promise<Answer> {
  for (let again = 0; ; again += 1) {
    const answer = await untilCutOff(transport.send(push))
    if (judge(platform, answer).class !== 'refused' || again === resends || !mayGoOn()) return answer
    await new Promise((resolve) => setTimeout(resolve, again * 20))
    if (!mayGoOn()) return answer
  }
}

function settle({ platform, prepared, triesBefore, elapsedMs }: Sending, answer: Answer, handedOverAt: Date): Settlement {
  const verdict: Verdict = judge(platform, answer)
  const tries = triesBefore + 1
  const left = ttlLeftMs(prepared.send.ttl, elapsedMs())
  switch (verdict.class) {
    case 'sent':
      return { is: 'sent', tries, providerCode: verdict.providerCode, environment: answer.is === 'answered' ? answer.environment : null }
    case 'dead': {
      // A device that registered again after we handed over is alive, whatever this answer says.
      const since = answer.is === 'answered' && answer.deadSince !== null ? answer.deadSince : handedOverAt.toISOString()
      return { is: 'failed', tries, code: verdict.code, providerCode: verdict.providerCode, deadSince: since }
    }
    case 'bad':
      return { is: 'failed', tries, code: verdict.code, providerCode: verdict.providerCode, deadSince: null }
    case 'refused':
      if (left > refusedAgainMs) return { is: 'retry', tries: triesBefore, retryAt: new Date(Date.now() + refusedAgainMs) }
      return { is: 'failed', tries: triesBefore, code: 'provider_unavailable', providerCode: verdict.providerCode, deadSince: null }
    case 'retry':
    case 'unknown':
    case 'config': {
      const next = nextTry(verdict, { tries, ttlLeftMs: left, now: new Date(), random: Math.random() })
      if (next.is === 'retry') return next
      return { is: 'failed', tries, code: next.code, providerCode: verdict.providerCode, deadSince: null }
    }
  }
}
