import { retryAfterMs } from '@herald/contracts/retry-after'
import type { Reply } from '@herald/http2/client/reply'
import { word, type Answer } from '../../core/answer.ts'
import type { AnswerRow } from '../../core/answer-meaning.ts'
import { answerOfReply, field, jsonOf } from '../reply.ts'

/**
 * The meaning of each answer of FCM (spec: providers/fcm). A reason is FcmError's errorCode, or else google.rpc's status. `message.token` or `device` is added
 * when the answer says that it speaks of the token or of the device's own rate.
 */
export const fcmAnswers: readonly AnswerRow[] = [
  { status: 200, class: 'sent' },
  { status: 404, reasons: ['UNREGISTERED*'], class: 'dead', code: 'token_dead' },
  { status: 400, reasons: ['INVALID_ARGUMENT message.token'], class: 'guarded', code: 'token_invalid' },
  { status: 400, reasons: ['INVALID_ARGUMENT*'], class: 'bad', code: 'payload_invalid' },
  // The project has no credentials for the platform of this one token: FCM has taken ours.
  {
    status: '4xx',
    reasons: ['THIRD_PARTY_AUTH_ERROR*', 'APNS_AUTH_ERROR*'],
    class: 'guarded',
    code: 'sender_mismatch',
    provesCredentials: true,
  },
  { status: 403, reasons: ['SENDER_ID_MISMATCH*'], class: 'guarded', code: 'sender_mismatch' },
  // Before this row is read the push was sent a second time, with a new OAuth token, unless the token service refused to give a token.
  { status: 401, class: 'config', code: 'credentials_invalid' },
  // PERMISSION_DENIED: the service account may not send for this project. That has the same effect as wrong credentials.
  { status: 403, reasons: ['PERMISSION_DENIED*'], class: 'config', code: 'credentials_invalid' },
  // Without FcmError: the project is not known, or a front end answers for FCM. If others are accepted, it speaks of this push.
  { status: [403, 404], class: 'suspect', code: 'credentials_invalid' },
  // FCM asks for a minute when it names no time (firebase.google.com/docs/cloud-messaging/scale-fcm).
  { status: 429, reasons: ['QUOTA_EXCEEDED', 'RESOURCE_EXHAUSTED'], class: 'quota', code: 'rate_limited', waitMs: 60_000 },
]

export function read(reply: Reply): Answer {
  if (reply.is !== 'answered') return answerOfReply(reply)
  const { status, headers } = reply
  if (status === 200) return accepted
  return answerOf({ status, retryAfter: headers.get('retry-after'), data: jsonOf(reply.body) }, new Date())
}

/** Nearly every answer is this one, so it is made once and used again. */
const accepted: Answer = Object.freeze({
  is: 'answered',
  status: 200,
  reason: '',
  retryAfterMs: null,
  deadSince: null,
  environment: null,
})

const fcmErrorType = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'

/** Reads an answer of FCM. The reason of a refusal is FcmError's code, or else google.rpc's status, and says when the token or its rate is to blame. */
export function answerOf({ status, retryAfter, data }: { status: number; retryAfter: unknown; data: unknown }, now: Date): Answer {
  const error = field(data, 'error')
  const details = listOf(field(error, 'details'))
  const detailOf = (type: string) => details.find((detail) => field(detail, '@type') === type)
  const code = field(detailOf(fcmErrorType), 'errorCode') ?? field(error, 'status')
  return {
    is: 'answered',
    status,
    reason:
      status === 200 ? '' : [word(code), blames(status, error, listOf(field(detailOf(badRequestType), 'fieldViolations')))].join('').trim(),
    retryAfterMs: retryAfterMs(retryAfter, now),
    deadSince: null,
    environment: null,
  }
}

/**
 * Says what an answer blames. Real FCM often names the token in its message alone (firebase-admin-java#1064), and a quota of one device only there
 * too (firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
 */
function blames(status: number, error: unknown, violations: readonly unknown[]): '' | ' message.token' | ' device' {
  const message = field(error, 'message')
  const text = typeof message === 'string' ? message : ''
  if (status === 429) return /\bdevice\b/i.test(text) ? ' device' : ''
  const isNamed = violations.some((violation) => /^message\.(token|fid)$/.test(String(field(violation, 'field'))))
  return isNamed || /registration[ _-]?token|installation[ _-]?id/i.test(text) ? ' message.token' : ''
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
