import { randomBytes } from 'node:crypto'
import type { Accounts, FcmAccount } from '../accounts.ts'
import { answerOfService, behave, type Refusal } from '../behaviour.ts'
import { findMsgId, type Devices } from '../devices.ts'
import { keepOneMore, keptByFcm } from '../offline.ts'
import { checkSendRequest, type Violation } from './message.ts'
import type { AccessTokens } from './oauth.ts'
import type { Quota } from './quota.ts'
import type { Recording } from '../record.ts'
import { parse, type Answer, type Request, type Serve } from '../request.ts'

const json = { 'content-type': 'application/json; charset=UTF-8' }

type No = {
  code: number
  status: string
  errorCode?: string
  message: string
  violation?: Violation
}

/** How a push to a device is refused: with answers of the real service (`knownAnswers` of the contracts). */
const refusals: Readonly<Record<Refusal, Answer>> = {
  dead: answerOfService('fcm unregistered'),
  bad_token: answerOfService('fcm invalid token'),
  sender_mismatch: answerOfService('fcm sender id mismatch'),
  rate_limited: withRetryAfter(answerOfService('fcm device rate exceeded'), 1),
  failing: answerOfService('fcm internal'),
  unavailable: answerOfService('fcm unavailable'),
}

/** The answer of FCM to every request while its fault `outage` is `503`. */
export const fcmUnavailable: Answer = refusals.unavailable

/** Serves FCM v1: `POST /v1/projects/<project>/messages:send`. */
export function openFcm(accounts: Accounts, devices: Devices, tokens: AccessTokens, recording: Recording, quota: Quota): Serve {
  // At Google's FCM the name of a message is a time, a counter and random bits. Here the random bits are chosen once, at the start.
  const series = randomBytes(8).toString('hex')
  let sent = 0

  return (request) => {
    const projectId = /^\/v1\/projects\/([\w.:-]+)\/messages:send$/.exec(request.path)?.[1]
    if (projectId === undefined) return refuse({ code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' })
    if (request.method !== 'POST') return refuse({ code: 405, status: 'METHOD_NOT_ALLOWED', message: 'Only POST is allowed.' })
    const account = authenticate(request, projectId, tokens)
    if ('code' in account) return refuse(account)

    const body = parse(request.body)
    if (body === undefined) return refuse(invalid({ field: '', description: 'Invalid JSON payload received.' }))
    const message = checkSendRequest(body)
    if ('field' in message) return refuse(invalid(message))
    const device = devices.android(message.address)
    if (!device) return isAddressLike(message.address) ? refusals.dead : refusals.bad_token
    if (device.projectId !== projectId || accounts.project(projectId) !== account) return refusals.sender_mismatch

    const name = `projects/${projectId}/messages/0:${Date.now()}${String(++sent).padStart(6, '0')}%${series}`
    const answer: Answer = { status: 200, headers: json, body: JSON.stringify({ name }), reason: '' }
    if (message.isDryRun) return answer
    const accept = (isOff = false): Answer => {
      recording.accept({ device, id: name, headers: [], body: request.body, msgId: findMsgId('android', body) })
      if (isOff && !message.isNowOrNever)
        device.kept = keepOneMore(device.kept, { seq: recording.last(), key: message.collapseKey }, keptByFcm)
      return answer
    }
    if (!device.behaviour && !quota.take(projectId)) return answerOfService('fcm quota exceeded')
    return behave(device, accept, (refusal, { retryAfterSeconds }) => withRetryAfter(refusals[refusal], retryAfterSeconds))
  }
}

function withRetryAfter(answer: Answer, seconds: number | undefined): Answer {
  return seconds === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}

function authenticate({ headers }: Request, projectId: string, tokens: AccessTokens): FcmAccount | No {
  const token = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (token === undefined) return unauthenticated('Request is missing required authentication credential. Expected OAuth 2 access token.')
  const account = tokens.check(token, Date.now())
  if (!account) return unauthenticated('Request had invalid authentication credentials. Expected OAuth 2 access token.')
  if (account.projectId === projectId) return account
  const message = `Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/${projectId}'.`
  return { code: 403, status: 'PERMISSION_DENIED', message }
}

const unauthenticated = (message: string): No => ({ code: 401, status: 'UNAUTHENTICATED', message })

function invalid(violation: Violation): No {
  const message = violation.description
  return { code: 400, status: 'INVALID_ARGUMENT', errorCode: 'INVALID_ARGUMENT', message, violation }
}

/**
 * Says whether an address looks real: an installation's id, or a token, which is such an id, a colon and a long tail. FCM takes an unknown address
 * that looks real for one whose app was removed.
 */
const isAddressLike = (address: string): boolean => /^(?:[\w-]{22}|[\w-]{20,}:[\w-]{100,})$/.test(address)

/** Makes an answer with the error body of Google's APIs (google.rpc.Status) and the details that FCM adds. */
function refuse({ code, status, errorCode, message, violation }: No): Answer {
  const details = [
    ...(errorCode ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }] : []),
    ...(violation ? [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }] : []),
  ]
  return {
    status: code,
    headers: {
      ...json,
      ...(code === 401 && { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' }),
    },
    body: JSON.stringify({ error: { code, message, status, ...(details.length > 0 && { details }) } }),
    reason: errorCode ?? status,
  }
}
