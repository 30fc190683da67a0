import type { ProviderKind } from '@herald/contracts/app'
import { failureCodes } from '@herald/contracts/outcome'
import { platforms, type Platform } from '@herald/contracts/platform'
import { expect, test } from 'vitest'
import type { Answer } from './answer.ts'
import { providers } from '../providers/open-providers.ts'
import { checkedBy, isDeadCode, letterOf, readAnswer } from './answer-meaning.ts'

const answered = (status: number, reason = '', retryAfterMs: number | null = null): Answer => ({
  is: 'answered',
  status,
  reason,
  retryAfterMs,
  deadSince: null,
  environment: null,
})

/** The letters of the classes that say something about the credentials. An answer of another class has the letter `u`, `p` or `a`. */
const letters: Record<string, string> = { sent: 's', guarded: 'g', suspect: 'w', config: 'c' }

/**
 * Answers that the providers' tables name, and some that no row fits: platform, status, reason, class, code (spec: providers/apns, providers/fcm,
 * providers/web-push).
 */
const rows: [Platform, number, string, string, string?][] = [
  ['ios', 200, '', 'sent'],
  ['ios', 410, 'Unregistered', 'dead', 'token_dead'],
  ['ios', 410, 'ExpiredToken', 'dead', 'token_dead'],
  ['ios', 400, 'BadDeviceToken', 'guarded', 'token_invalid'],
  ['ios', 400, 'DeviceTokenNotForTopic', 'guarded', 'sender_mismatch'],
  ['ios', 400, 'BadTopic', 'config', 'sender_mismatch'],
  ['ios', 400, 'MissingTopic', 'config', 'sender_mismatch'],
  ['ios', 400, 'TopicDisallowed', 'config', 'sender_mismatch'],
  ['ios', 403, 'ExpiredProviderToken', 'config', 'credentials_invalid'],
  ['ios', 403, 'InvalidProviderToken', 'config', 'credentials_invalid'],
  ['ios', 403, 'MissingProviderToken', 'config', 'credentials_invalid'],
  ['ios', 403, 'Forbidden', 'config', 'credentials_invalid'],
  ['ios', 403, 'BadCertificate', 'config', 'credentials_invalid'],
  ['ios', 403, 'BadCertificateEnvironment', 'config', 'credentials_invalid'],
  ['ios', 403, 'BadEnvironmentKeyInToken', 'config', 'credentials_invalid'],
  ['ios', 429, 'TooManyProviderTokenUpdates', 'quota', 'rate_limited'],
  ['ios', 429, 'TooManyRequests', 'retry', 'rate_limited'],
  ['ios', 413, 'PayloadTooLarge', 'bad', 'payload_too_large'],
  ['ios', 400, 'BadCollapseId', 'bad', 'payload_invalid'],
  ['ios', 400, 'BadPriority', 'bad', 'payload_invalid'],
  ['ios', 400, 'BadExpirationDate', 'bad', 'payload_invalid'],
  ['ios', 400, 'PayloadEmpty', 'bad', 'payload_invalid'],
  ['ios', 500, 'InternalServerError', 'retry', 'provider_unavailable'],
  ['ios', 503, 'ServiceUnavailable', 'retry', 'provider_unavailable'],
  ['ios', 410, 'SomethingNew', 'dead', 'token_dead'],
  ['ios', 403, 'SomethingNew', 'config', 'credentials_invalid'],
  ['ios', 403, '', 'config', 'credentials_invalid'],
  ['ios', 404, 'BadPath', 'guarded', 'token_invalid'],
  ['ios', 502, '', 'retry', 'provider_unavailable'],
  ['ios', 504, '', 'retry', 'provider_unavailable'],
  ['ios', 408, '', 'retry', 'provider_unavailable'],
  ['ios', 429, '', 'retry', 'rate_limited'],
  ['ios', 418, '', 'retry', 'internal'],
  ['android', 200, '', 'sent'],
  ['android', 404, 'UNREGISTERED', 'dead', 'token_dead'],
  ['android', 404, 'NOT_FOUND', 'suspect', 'credentials_invalid'],
  ['android', 403, '', 'suspect', 'credentials_invalid'],
  ['android', 400, 'INVALID_ARGUMENT message.token', 'guarded', 'token_invalid'],
  ['android', 400, 'INVALID_ARGUMENT', 'bad', 'payload_invalid'],
  ['android', 403, 'SENDER_ID_MISMATCH', 'guarded', 'sender_mismatch'],
  ['android', 401, 'UNAUTHENTICATED', 'config', 'credentials_invalid'],
  ['android', 401, 'THIRD_PARTY_AUTH_ERROR', 'guarded', 'sender_mismatch'],
  ['android', 403, 'THIRD_PARTY_AUTH_ERROR', 'guarded', 'sender_mismatch'],
  ['android', 403, 'PERMISSION_DENIED', 'config', 'credentials_invalid'],
  ['android', 429, 'QUOTA_EXCEEDED', 'quota', 'rate_limited'],
  ['android', 429, 'RESOURCE_EXHAUSTED', 'quota', 'rate_limited'],
  ['android', 429, 'QUOTA_EXCEEDED device', 'retry', 'rate_limited'],
  ['android', 429, '', 'retry', 'rate_limited'],
  ['android', 502, '', 'retry', 'provider_unavailable'],
  ['android', 408, '', 'retry', 'provider_unavailable'],
  ['android', 500, 'INTERNAL', 'retry', 'provider_unavailable'],
  ['android', 503, 'UNAVAILABLE', 'retry', 'provider_unavailable'],
  ['web', 201, '', 'sent'],
  ['web', 200, '', 'sent'],
  ['web', 202, '', 'sent'],
  ['web', 404, '', 'dead', 'token_dead'],
  ['web', 410, '', 'dead', 'token_dead'],
  ['web', 400, '', 'suspect', 'credentials_invalid'],
  ['web', 401, '', 'suspect', 'credentials_invalid'],
  ['web', 403, '', 'suspect', 'credentials_invalid'],
  ['web', 413, '', 'bad', 'payload_too_large'],
  ['web', 429, '', 'retry', 'rate_limited'],
  ['web', 500, '', 'retry', 'provider_unavailable'],
  ['web', 502, '', 'retry', 'provider_unavailable'],
  ['web', 408, '', 'retry', 'provider_unavailable'],
  ['web', 406, 'throttled', 'retry', 'rate_limited'],
  ['web', 406, '', 'retry', 'internal'],
  ['web', 301, '', 'bad', 'payload_invalid'],
  ['web', 307, '', 'bad', 'payload_invalid'],
  ['web', 409, '', 'retry', 'internal'],
]

// spec: providers/apns, providers/fcm, providers/web-push, providers/classes, tracking/failure-codes
test.each(rows)('an answer of %s, %i %s, means %s %s', (platform, status, reason, meaningClass, code) => {
  const meaning = readAnswer(providers[platform].answers, answered(status, reason))
  expect(meaning.class).toBe(meaningClass)
  expect('code' in meaning ? meaning.code : undefined).toBe(code)
  expect(meaning.providerCode).toBe(`${status} ${reason}`.trim())
  const isAway = code === 'provider_unavailable'
  const isProof = (meaningClass === 'dead' || meaningClass === 'bad') && [400, 404, 410, 413].includes(status)
  const letter = reason === 'THIRD_PARTY_AUTH_ERROR' ? 't' : (letters[meaningClass] ?? (isAway ? 'u' : isProof ? 'p' : 'a'))
  expect(letterOf(meaning, answered(status, reason))).toBe(letter)
})

// spec: providers/slow-down
test.each(platforms)('%s: an unknown 4xx is tried again, as rate_limited after its Retry-After, or without one as internal', (platform) => {
  expect(readAnswer(providers[platform].answers, answered(420, '', 2_000))).toMatchObject({
    class: 'retry',
    code: 'rate_limited',
    retryAfterMs: 2_000,
  })
  expect(readAnswer(providers[platform].answers, answered(420))).toMatchObject({ class: 'retry', code: 'internal' })
})

// spec: providers/circuit-closes
test('a push service that answers a probe with 400 has read the credentials; with 403 it may not have', () => {
  const letterOfProbe = (status: number) => letterOf(readAnswer(providers.web.answers, answered(status)), answered(status), true)
  expect([400, 401, 403, 404, 410, 413].map(letterOfProbe)).toEqual(['p', 'w', 'w', 'p', 'p', 'p'])
})

// spec: providers/unknown-answer, providers/tries
test('a push with an unknown answer has at most three attempts, one answered 503 at most five', () => {
  expect(readAnswer(providers.ios.answers, answered(418))).toMatchObject({ maxTries: 3 })
  expect(readAnswer(providers.ios.answers, answered(503))).toMatchObject({ maxTries: 5 })
})

// spec: providers/fcm, providers/retry-after
test('a push waits as long as the provider asks; for FCM’s quota a minute even when FCM names no time', () => {
  expect(readAnswer(providers.android.answers, answered(429, 'QUOTA_EXCEEDED', 7_000))).toMatchObject({ retryAfterMs: 7_000 })
  expect(readAnswer(providers.android.answers, answered(429, 'QUOTA_EXCEEDED'))).toMatchObject({ retryAfterMs: 60_000 })
  expect(readAnswer(providers.web.answers, answered(429))).toMatchObject({ retryAfterMs: null })
})

// spec: providers/no-answer, tracking/failure-codes
test.each<[Answer, string, string?]>([
  [{ is: 'refused', reason: 'NGHTTP2_REFUSED_STREAM' }, 'refused'],
  [{ is: 'unsent', reason: 'ECONNREFUSED' }, 'retry', 'network_error'],
  [{ is: 'unanswered', why: 'timeout', reason: '' }, 'unknown', 'timeout'],
  [{ is: 'unanswered', why: 'broken', reason: 'ECONNRESET' }, 'unknown', 'network_error'],
  [{ is: 'unsendable', why: 'keys' }, 'dead', 'encryption_failed'],
  [{ is: 'unsendable', why: 'address' }, 'bad', 'token_invalid'],
  [{ is: 'unsendable', why: 'credentials' }, 'config', 'credentials_invalid'],
])('a push without an answer (%o) counts as %s %s', (answer, meaningClass, code) => {
  const meaning = readAnswer(providers.web.answers, answer)
  expect(meaning.class).toBe(meaningClass)
  expect('code' in meaning ? meaning.code : undefined).toBe(code)
})

test.each(platforms)('%s: of all failure codes only token_dead and encryption_failed show that a token is dead', (platform) => {
  expect(failureCodes.filter((code) => isDeadCode(providers[platform].answers, code))).toEqual(['token_dead', 'encryption_failed'])
})

const answersOf = (kind: ProviderKind) => Object.values(providers).find((one) => one.kind === kind)?.answers ?? []
// spec: providers/check
test.each<[kind: ProviderKind, answer: Answer]>([
  ['apns', answered(400, 'BadDeviceToken')],
  ['apns', answered(410, 'Unregistered')],
  ['fcm', answered(200)],
  ['fcm', answered(400, 'INVALID_ARGUMENT message.token')],
  ['fcm', answered(400, 'INVALID_ARGUMENT')],
  ['fcm', answered(404, 'UNREGISTERED')],
  ['webpush', { is: 'unsendable', why: 'address' }],
])('a check at %s with the answer %j says that the credentials are good', (kind, answer) => {
  expect(checkedBy(answersOf(kind), answer)).toMatchObject({ ok: true, code: null })
})

// spec: providers/check
test.each<[kind: ProviderKind, answer: Answer, code: string, providerCode: string | null]>([
  ['apns', answered(403, 'InvalidProviderToken'), 'credentials_invalid', '403 InvalidProviderToken'],
  ['apns', answered(400, 'TopicDisallowed'), 'sender_mismatch', '400 TopicDisallowed'],
  ['apns', answered(400, 'BadTopic'), 'sender_mismatch', '400 BadTopic'],
  ['apns', answered(429, 'TooManyProviderTokenUpdates'), 'rate_limited', '429 TooManyProviderTokenUpdates'],
  ['fcm', answered(401, 'oauth 400 invalid_grant'), 'credentials_invalid', '401 oauth 400 invalid_grant'],
  ['fcm', answered(403, 'SENDER_ID_MISMATCH'), 'sender_mismatch', '403 SENDER_ID_MISMATCH'],
  ['fcm', answered(404, 'NOT_FOUND'), 'credentials_invalid', '404 NOT_FOUND'],
  ['fcm', answered(503), 'provider_unavailable', '503'],
  ['fcm', { is: 'unsent', reason: 'ECONNREFUSED' }, 'network_error', 'ECONNREFUSED'],
  ['apns', { is: 'unanswered', why: 'timeout', reason: '' }, 'timeout', null],
  ['apns', { is: 'refused', reason: 'closed' }, 'provider_unavailable', 'closed'],
  ['webpush', { is: 'unsendable', why: 'credentials' }, 'credentials_invalid', 'credentials'],
  ['fcm', { is: 'unsendable', why: 'credentials' }, 'credentials_invalid', 'credentials'],
])('a check at %s with the answer %j does not call the credentials good, and says why', (kind, answer, code, providerCode) => {
  expect(checkedBy(answersOf(kind), answer)).toEqual({ ok: false, code, providerCode })
})

test('no push of a check reaches a device: zeros to APNs, validation alone by FCM, no web address', () => {
  const { ios, android, web } = providers
  expect(ios.checkPush.address).toMatch(/^0{64}$/)
  expect(JSON.parse(android.checkPush.body)).toMatchObject({ validate_only: true })
  expect(web.checkPush.address).toBe('')
})
