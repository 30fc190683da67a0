import { prepareHead, type PreparedHead } from '@herald/http2/client/head'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { Reply } from '@herald/http2/client/reply'
import type { Request } from '@herald/http2/client/stream'
import { retryAfterMs, word, type Answer } from '../core/answer.ts'
import type { Line } from './line.ts'
import { openProviderOrigin } from './provider-origin.ts'
import { answerOfReply, field, jsonOf } from './reply.ts'
import { answerLimitMs, type Push } from './transport.ts'

/** What all pushes of a project with one access token share. */
export type FcmHead = { readonly head: PreparedHead; readonly path: string }

/** Opens the way to FCM v1 for one project (Firebase: REST projects.messages.send). */
export function openFcmLine(url: URL, projectId: string, onEvent?: (event: OriginEvent) => void): Line {
  const origin = openProviderOrigin(url, onEvent)
  let head: FcmHead | undefined
  let headToken = ''
  const headFor = (token: string): FcmHead => {
    if (!head || token !== headToken) head = makeHead(url.host, projectId, token)
    headToken = token
    return head
  }
  return {
    send: (push, token, hear) => origin.request(make(push, headFor(token)), read, hear),
    close: () => origin.close(),
  }
}

export const makeHead = (authority: string, projectId: string, token: string): FcmHead => ({
  head: prepareHead({
    authority,
    fields: [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json;charset=utf-8'],
    ],
  }),
  path: `/v1/projects/${projectId}/messages:send`,
})

/** The request of a push. Its JSON is FCM's own, device token included. */
export const make = ({ body }: Push, { head, path }: FcmHead): Request => ({ head, path, body, timeoutMs: answerLimitMs })

/** What FCM said to a push. */
export function read(reply: Reply): Answer {
  if (reply.is !== 'answered') return answerOfReply(reply)
  const { status, headers } = reply
  if (status === 200) return accepted
  return answerOf({ status, retryAfter: headers.get('retry-after'), data: jsonOf(reply.body) }, new Date())
}

/** Nearly every answer, made once. */
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

/** An answer of FCM as a value: the reason is FcmError's code, else google.rpc's status, and whether the token is named. */
export function answerOf({ status, retryAfter, data }: { status: number; retryAfter: unknown; data: unknown }, now: Date): Answer {
  const error = field(data, 'error')
  const details = listOf(field(error, 'details'))
  const detailOf = (type: string) => details.find((detail) => field(detail, '@type') === type)
  const code = field(detailOf(fcmErrorType), 'errorCode') ?? field(error, 'status')
  const violations = listOf(field(detailOf(badRequestType), 'fieldViolations'))
  const namesToken = violations.some((violation) => field(violation, 'field') === 'message.token')
  return {
    is: 'answered',
    status,
    reason: status === 200 ? '' : `${word(code)}${namesToken ? ' message.token' : ''}`,
    retryAfterMs: retryAfterMs(retryAfter, now),
    deadSince: null,
    environment: null,
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
