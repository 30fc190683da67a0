import { retryAfterMs } from '@herald/contracts/retry-after'
import type { Reply } from '@herald/http2/client/reply'
import { word, type Answer, type Environment } from '../../core/answer.ts'
import type { AnswerRow } from '../../core/answer-meaning.ts'
import { answerOfReply, field, jsonOf } from '../reply.ts'

/** The meaning of each answer of APNs (spec: providers/apns). The first row that fits counts, so particular rows come before general ones. */
export const apnsAnswers: readonly AnswerRow[] = [
  { status: 200, class: 'sent' },
  { status: 410, class: 'dead', code: 'token_dead' },
  // Before this row is read the transport has asked each environment that has an address. A token of the sandbox is not dead because production does
  // not know it.
  { status: 400, reasons: ['BadDeviceToken'], class: 'guarded', code: 'token_invalid' },
  { status: 400, reasons: ['DeviceTokenNotForTopic'], class: 'guarded', code: 'sender_mismatch' },
  { status: 400, reasons: ['BadTopic', 'MissingTopic', 'TopicDisallowed'], class: 'config', code: 'sender_mismatch' },
  { status: 400, reasons: ['IdleTimeout'], class: 'retry', code: 'network_error' },
  // The path is the token: nothing else in it changes.
  { status: 404, reasons: ['BadPath'], class: 'guarded', code: 'token_invalid' },
  // Every 403 is about the provider token. Before this row is read the transport has tried again: with a newer token when this one had expired, over a
  // new connection when the connection had begun with another key.
  { status: 403, class: 'config', code: 'credentials_invalid' },
  { status: 429, reasons: ['TooManyProviderTokenUpdates'], class: 'quota', code: 'rate_limited', waitMs: 60_000 },
  { status: 413, class: 'bad', code: 'payload_too_large' },
  { status: 400, class: 'bad', code: 'payload_invalid' },
]

export function read(reply: Reply, environment: Environment): Answer {
  if (reply.is !== 'answered') return answerOfReply(reply)
  const { status, headers } = reply
  if (status === 200) return accepted[environment]
  const said = jsonOf(reply.body)
  return {
    is: 'answered',
    status,
    reason: word(field(said, 'reason')),
    retryAfterMs: retryAfterMs(headers.get('retry-after'), new Date()),
    deadSince: deadSince(field(said, 'timestamp')),
    environment,
  }
}

const acceptedBy = (environment: Environment): Answer =>
  Object.freeze({ is: 'answered', status: 200, reason: '', retryAfterMs: null, deadSince: null, environment })

/** Nearly every answer is one of these two, so each is made once and used again. */
const accepted: Readonly<Record<Environment, Answer>> = { production: acceptedBy('production'), sandbox: acceptedBy('sandbox') }

/** The latest instant that a Date can hold, in milliseconds since 1970. */
const lastMs = 8.64e15

/** Gives since when a token is dead, as an ISO date; null when APNs does not say. APNs gives the instant in milliseconds. */
export function deadSince(timestamp: unknown): string | null {
  const ms = Number(timestamp)
  return ms > 0 && ms <= lastMs ? new Date(ms).toISOString() : null
}
