import type { KeyObject } from 'node:crypto'
import type { FcmMessage } from '@herald/contracts/payload'
import type { Message } from 'firebase-admin/messaging'
import { retryAfterMs, word, type Answer } from '../core/answer.ts'
import { openAccessTokens } from './access-token.ts'
import { answerOfFailure } from './failure.ts'
import { openFirebase, type FirebaseResult } from './firebase.ts'
import { gather } from './gather.ts'
import { answerLimitMs, type Push, type Transport } from './transport.ts'

/**
 * `sendEach` opens a TLS session of 100 streams for each call. So calls are as large as is good for the time limit, which
 * runs for messages that wait for a stream too, and several, so that one that hangs does not stop the others.
 */
const calls = { most: 250, enough: 100, patienceMs: 20, callsAtOnce: 8 }

/** Sends to FCM v1 (Firebase: REST projects.messages.send) through firebase-admin. */
export function openFcm({
  projectId,
  clientEmail,
  privateKey,
  tokenUri,
  tokenUrl,
  onSkew,
}: {
  projectId: string
  clientEmail: string
  privateKey: KeyObject
  /** The account's `token_uri`. */
  tokenUri: string
  /** Where tokens are asked for instead, or undefined. */
  tokenUrl: string | undefined
  /** This machine's clock is so many milliseconds ahead of the token service's (behind: below 0). */
  onSkew: (aheadMs: number) => void
}): Transport {
  const tokens = openAccessTokens({ clientEmail, privateKey, audience: tokenUri, url: tokenUrl ?? tokenUri, onSkew })
  const currentToken = async (): Promise<string> => {
    const got = await tokens.current()
    if ('token' in got) return got.token
    throw new Error('no access token')
  }
  const firebase = openFirebase(projectId, currentToken, answerLimitMs)

  type Waiting = { message: Message; resolve: (answer: Answer) => void }
  const hand = gather<Waiting>(async (waiting) => {
    await firebase.sendEach(
      waiting.map(({ message }) => message),
      (place, result) => waiting[place]?.resolve(answerOf(result, new Date())),
    )
  }, calls)

  const sendOnce = (message: Message) => new Promise<Answer>((resolve) => hand({ message, resolve }))

  return {
    async send(push) {
      const message = messageOf(push)
      for (let attempt = 1; ; attempt += 1) {
        const access = await tokens.current()
        if ('answer' in access) return access.answer
        const answer = await sendOnce(message)
        if (answer.is !== 'answered' || answer.status !== 401 || attempt > 1) return answer
        // A token can be revoked before its time: once with a new one, before our credentials are called wrong.
        tokens.forget(access.token)
      }
    },
    close: () => firebase.close(),
  }
}

/**
 * A message as the library takes it. It only renames what it knows from camel case and passes everything else through, so
 * the wire's own names stay; `ttl` alone it insists on making from milliseconds. What arrives is what contracts built.
 */
export function messageOf(push: Pick<Push, 'body' | 'ttlSeconds'>): Message {
  const { message } = JSON.parse(push.body) as FcmMessage
  return { ...message, android: { ...message.android, ttl: push.ttlSeconds * 1000 } }
}

const fcmErrorType = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'

type ErrorBody = {
  error?: {
    status?: unknown
    details?: { '@type'?: unknown; errorCode?: unknown; fieldViolations?: { field?: unknown }[] }[]
  }
}

/** An answer of FCM as a value: the reason is FcmError's code, else google.rpc's status, and whether the token is named. */
export function answerOf(result: FirebaseResult, now: Date): Answer {
  if ('error' in result) return answerOfFailure(result.error)
  const { status, headers, data } = result.answer
  const error = data instanceof Object ? (data as ErrorBody).error : undefined
  const details = Array.isArray(error?.details) ? error.details : []
  const code = details.find((detail) => detail['@type'] === fcmErrorType)?.errorCode ?? error?.status
  const violations = details.find((detail) => detail['@type'] === badRequestType)?.fieldViolations
  const namesToken = Array.isArray(violations) && violations.some(({ field }) => field === 'message.token')
  return {
    is: 'answered',
    status,
    reason: status === 200 ? '' : `${word(code)}${namesToken ? ' message.token' : ''}`,
    retryAfterMs: retryAfterMs(headers['retry-after'], now),
    deadSince: null,
    environment: null,
  }
}
