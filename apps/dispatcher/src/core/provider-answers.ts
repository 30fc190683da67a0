import { maxTries } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'
import type { Answer } from './answer.ts'

/**
 * What an answer means for its push: `retry` the provider will take it later; `unknown` it may have been delivered, so it
 * is sent again with the same identity; `config` our credentials or settings are wrong, `suspect` they may be: one push
 * service said so; `guarded` the token is no more or our settings are wrong: the mass guard decides; `dead` the token is no
 * more, `bad` this push can never pass; `refused` it was not processed and may be repeated at once.
 */
export type AnswerMeaning =
  | { class: 'sent'; providerCode: string }
  | { class: 'retry' | 'unknown' | 'suspect'; code: FailureCode; providerCode: string; retryAfterMs: number | null; maxTries: number }
  | { class: 'config' | 'guarded' | 'dead' | 'bad'; code: FailureCode; providerCode: string }
  | { class: 'refused'; providerCode: string }

/** What a class says to the circuit of an app's way to its provider (contracts' FinishBatch); others say nothing of our credentials. */
const letters: { readonly [of in AnswerMeaning['class']]?: Letter } = { sent: 's', guarded: 'g', suspect: 'w', config: 'c' }
export type Letter = 's' | 'g' | 'w' | 'c' | 'u' | 'a'

/** `u`: the provider was not there for the push. `a`: it gave another answer. Undefined: it was not asked, or said that it did not look. */
export function letterOf(meaning: AnswerMeaning, answer: Answer): Letter | undefined {
  if (isUnavailable(meaning)) return 'u'
  return letters[meaning.class] ?? (answer.is === 'answered' ? 'a' : undefined)
}

/** Nobody was there, or somebody who could not do anything: 5xx, no connection, no answer. A push that this process gave up itself is none. */
export const isUnavailable = (meaning: AnswerMeaning): meaning is AnswerMeaning & { class: 'retry' | 'unknown' } =>
  (meaning.class === 'retry' || meaning.class === 'unknown') &&
  (meaning.code === 'provider_unavailable' || meaning.code === 'network_error' || meaning.code === 'timeout') &&
  meaning.providerCode !== 'stopped'

/** What a row says an answer means. */
type RowMeaning =
  | { class: 'sent' }
  | { class: 'retry'; code: FailureCode; /** Without a Retry-After. */ waitMs?: number; maxTries?: number }
  | { class: 'config' | 'suspect' | 'guarded' | 'dead' | 'bad'; code: FailureCode }

/** A row: a status, or all of a hundred, and the reasons it is for (a `*` at the end: any that begin so). Without reasons: every one. */
type Row = RowMeaning & { status: number | readonly number[] | '2xx' | '3xx' | '5xx'; reasons?: readonly string[] }

/** The first row that fits counts, so the particular stands before the general. */
export const apnsAnswers: readonly Row[] = [
  { status: 200, class: 'sent' },
  { status: 410, reasons: ['Unregistered', 'ExpiredToken'], class: 'dead', code: 'token_dead' },
  // The other environment was asked already: a sandbox token in production is not dead.
  { status: 400, reasons: ['BadDeviceToken'], class: 'guarded', code: 'token_invalid' },
  { status: 400, reasons: ['DeviceTokenNotForTopic'], class: 'guarded', code: 'sender_mismatch' },
  { status: 400, reasons: ['BadTopic', 'MissingTopic', 'TopicDisallowed'], class: 'config', code: 'sender_mismatch' },
  // A fresh token was tried already, if the refused one was old enough to be replaced.
  { status: 403, reasons: ['ExpiredProviderToken'], class: 'config', code: 'credentials_invalid' },
  {
    status: 403,
    reasons: ['InvalidProviderToken', 'MissingProviderToken', 'Forbidden', 'BadCertificate*', 'BadEnvironmentKeyInToken'],
    class: 'config',
    code: 'credentials_invalid',
  },
  { status: 429, reasons: ['TooManyProviderTokenUpdates', 'TooManyRequests'], class: 'retry', code: 'rate_limited' },
  { status: 413, reasons: ['PayloadTooLarge'], class: 'bad', code: 'payload_too_large' },
  { status: 400, class: 'bad', code: 'payload_invalid' },
  { status: [500, 503], class: 'retry', code: 'provider_unavailable' },
]

/** Reasons are FcmError's errorCode, else google.rpc's status; `… message.token` when a field violation names the token. */
export const fcmAnswers: readonly Row[] = [
  { status: 200, class: 'sent' },
  { status: 404, reasons: ['UNREGISTERED'], class: 'dead', code: 'token_dead' },
  { status: 400, reasons: ['INVALID_ARGUMENT message.token'], class: 'guarded', code: 'token_invalid' },
  { status: 400, reasons: ['INVALID_ARGUMENT'], class: 'bad', code: 'payload_invalid' },
  { status: 403, reasons: ['SENDER_ID_MISMATCH'], class: 'guarded', code: 'sender_mismatch' },
  // The OAuth token was renewed once already.
  { status: 401, class: 'config', code: 'credentials_invalid' },
  // The service account may not send for this project: as good as no credentials.
  { status: 403, reasons: ['THIRD_PARTY_AUTH_ERROR', 'PERMISSION_DENIED'], class: 'config', code: 'credentials_invalid' },
  { status: 429, class: 'retry', code: 'rate_limited', waitMs: 60_000 },
  { status: [500, 503], class: 'retry', code: 'provider_unavailable' },
]

/** Push services have no common reasons: the status says it all. */
export const webPushAnswers: readonly Row[] = [
  { status: '2xx', class: 'sent' },
  { status: [404, 410], class: 'dead', code: 'token_dead' },
  { status: [400, 401, 403], class: 'suspect', code: 'credentials_invalid' },
  { status: 413, class: 'bad', code: 'payload_too_large' },
  { status: 429, class: 'retry', code: 'rate_limited' },
  { status: '5xx', class: 'retry', code: 'provider_unavailable' },
  { status: '3xx', class: 'bad', code: 'payload_invalid' },
]

/** Forward compatible: what a provider invents next is tried thrice, not for an hour. No other answer means `internal`. */
const notInTheTable: RowMeaning = { class: 'retry', code: 'internal', maxTries: 3 }

const answersOf = { ios: apnsAnswers, android: fcmAnswers, web: webPushAnswers } as const

/** What a provider's answer means (spec: providers/apns, providers/fcm, providers/web-push, providers/no-answer). Every answer has a meaning. */
export function readAnswer(platform: keyof typeof answersOf, answer: Answer): AnswerMeaning {
  switch (answer.is) {
    case 'answered': {
      const row = answersOf[platform].find((one) => fits(one, answer.status, answer.reason)) ?? notInTheTable
      return meaningOf(row, answer)
    }
    case 'refused':
      return { class: 'refused', providerCode: answer.reason }
    case 'unsent':
      return { class: 'retry', code: 'network_error', providerCode: answer.reason, retryAfterMs: null, maxTries }
    case 'unanswered': {
      const code = answer.why === 'timeout' ? 'timeout' : 'network_error'
      return { class: 'unknown', code, providerCode: answer.reason, retryAfterMs: null, maxTries }
    }
    case 'unsendable':
      return { ...unsendable[answer.why], providerCode: answer.why }
  }
}

const unsendable = {
  keys: { class: 'dead', code: 'encryption_failed' },
  address: { class: 'bad', code: 'token_invalid' },
  credentials: { class: 'config', code: 'credentials_invalid' },
} as const

function meaningOf(row: RowMeaning, answer: Answer & { is: 'answered' }): AnswerMeaning {
  const providerCode = answer.reason === '' ? String(answer.status) : `${answer.status} ${answer.reason}`.trim()
  switch (row.class) {
    case 'sent':
      return { class: 'sent', providerCode }
    case 'config':
    case 'guarded':
    case 'dead':
    case 'bad':
      return { class: row.class, code: row.code, providerCode }
    case 'suspect':
      return { class: 'suspect', code: row.code, providerCode, retryAfterMs: answer.retryAfterMs, maxTries }
    case 'retry': {
      const wait = answer.retryAfterMs ?? row.waitMs ?? null
      return { class: 'retry', code: row.code, providerCode, retryAfterMs: wait, maxTries: row.maxTries ?? maxTries }
    }
  }
}

function fits({ status, reasons }: Row, answered: number, reason: string): boolean {
  const isStatus =
    typeof status === 'number'
      ? status === answered
      : typeof status === 'string'
        ? Number(status[0]) === Math.floor(answered / 100)
        : status.includes(answered)
  return (
    isStatus && (reasons === undefined || reasons.some((one) => (one.endsWith('*') ? reason.startsWith(one.slice(0, -1)) : one === reason)))
  )
}

/**
 * Codes whose pushes end a token, by platform: what a take that died had settled so is told again when its batch is finished.
 * A code of the mass guard is none: who failed with one was judged by audience already.
 */
export const isDeadCode = (platform: keyof typeof answersOf, code: string): boolean =>
  (platform === 'web' && code === 'encryption_failed') || answersOf[platform].some((row) => row.class === 'dead' && row.code === code)
