import type { ProviderKind } from '@herald/contracts/app'
import { expect, test } from 'vitest'
import type { Answer } from './answer.ts'
import { providers } from '../providers/open-providers.ts'
import { checkedBy } from './check.ts'

const answersOf = (kind: ProviderKind) => Object.values(providers).find((one) => one.kind === kind)?.answers ?? []
const answered = (status: number, reason = ''): Answer => ({
  is: 'answered',
  status,
  reason,
  retryAfterMs: null,
  deadSince: null,
  environment: null,
})

// spec: providers/check
test.each<[kind: ProviderKind, answer: Answer]>([
  ['apns', answered(400, 'BadDeviceToken')],
  ['apns', answered(410, 'Unregistered')],
  ['fcm', answered(200)],
  ['fcm', answered(400, 'INVALID_ARGUMENT message.token')],
  ['fcm', answered(400, 'INVALID_ARGUMENT')],
  ['fcm', answered(404, 'UNREGISTERED')],
  ['webpush', { is: 'unsendable', why: 'address' }],
])('%s: the answer %j says that the provider takes the credentials', (kind, answer) => {
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
  ['fcm', answered(404, 'NOT_FOUND'), 'internal', '404 NOT_FOUND'],
  ['fcm', answered(503), 'provider_unavailable', '503'],
  ['fcm', { is: 'unsent', reason: 'ECONNREFUSED' }, 'network_error', 'ECONNREFUSED'],
  ['apns', { is: 'unanswered', why: 'timeout', reason: '' }, 'timeout', null],
  ['apns', { is: 'refused', reason: 'closed' }, 'provider_unavailable', 'closed'],
  ['webpush', { is: 'unsendable', why: 'credentials' }, 'credentials_invalid', 'credentials'],
  ['fcm', { is: 'unsendable', why: 'credentials' }, 'credentials_invalid', 'credentials'],
])('%s: the answer %j says that it does not, and why', (kind, answer, code, providerCode) => {
  expect(checkedBy(answersOf(kind), answer)).toEqual({ ok: false, code, providerCode })
})

test('no push of a check can reach a device: a token of zeros, a message that is only looked at, no address', () => {
  const { ios, android, web } = providers
  expect(ios.checkPush.address).toMatch(/^0{64}$/)
  expect(JSON.parse(android.checkPush.body)).toMatchObject({ validate_only: true })
  expect(web.checkPush.address).toBe('')
})
