import { retryAfterMs } from '@herald/contracts/retry-after'
import type { Reply } from '@herald/http2/client/reply'
import { blockedAddress } from '@herald/service/guarded-connect'
import type { Answer } from '../../core/answer.ts'
import type { AnswerRow } from '../../core/answer-meaning.ts'
import { answerOfReply } from '../reply.ts'

/** Windows' push service says 406 for "slow down", with or without Retry-After (WindowsAppSDK#3501). */
const throttled = 'throttled'

/**
 * The meaning of each answer of a push service (spec: providers/web-push). Push services have no reasons in common, so the status counts, and at
 * Windows' the reason that `read` gives it.
 */
export const webPushAnswers: readonly AnswerRow[] = [
  { status: '2xx', class: 'sent' },
  { status: [404, 410], class: 'dead', code: 'token_dead' },
  { status: 429, class: 'retry', code: 'rate_limited' },
  { status: 406, reasons: [throttled], class: 'retry', code: 'rate_limited' },
  { status: [400, 401, 403], class: 'suspect', code: 'credentials_invalid' },
  { status: 413, class: 'bad', code: 'payload_too_large' },
  { status: '3xx', class: 'bad', code: 'payload_invalid' },
]

export function read(reply: Reply, host = ''): Answer {
  if (reply.is === 'unsent' && reply.reason === blockedAddress) return { is: 'unsendable', why: 'address' }
  if (reply.is !== 'answered') return answerOfReply(reply)
  const retryAfter = retryAfterMs(reply.headers.get('retry-after'), new Date())
  const reason = reasonOf(reply.status, host)
  return { is: 'answered', status: reply.status, reason, retryAfterMs: retryAfter, deadSince: null, environment: null }
}

/** Gives the reason of an answer; a push service says it by its status alone. */
export const reasonOf = (status: number, host: string): string => (status === 406 && isWindows(host) ? throttled : '')

const isWindows = (host: string): boolean => /(^|\.)notify\.windows\.com\.?(:\d+)?$/i.test(host)
