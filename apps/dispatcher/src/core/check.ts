import type { ProviderKind } from '@herald/contracts/app'
import type { CheckedProvider } from '@herald/contracts/calls/dispatcher'
import type { Platform } from '@herald/contracts/platform'
import type { Answer } from './answer.ts'
import { readAnswer } from './provider-answers.ts'

const platformOf: Record<ProviderKind, Platform> = { apns: 'ios', fcm: 'android', webpush: 'web' }

const push = {
  msgId: 'check',
  keys: null,
  environment: null,
  collapseId: null,
  silent: true,
  priority: 'normal',
  ttlSeconds: 0,
  expiresAtSeconds: 0,
} as const

/**
 * A push that can reach nobody: no iPhone has a token of zeros, FCM is told to look at the message and not to send it, and a web push without an address
 * is never sent. Providers look at who asks before they look at the device.
 */
export const checkPush = {
  apns: { ...push, address: '0'.repeat(64), body: JSON.stringify({ aps: { 'content-available': 1 } }) },
  fcm: { ...push, address: '', body: JSON.stringify({ validate_only: true, message: { token: 'of-no-device', data: { check: '1' } } }) },
  webpush: { ...push, address: '', body: '' },
} as const satisfies Record<ProviderKind, object>

/** What the answer to such a push says of the credentials: a "no" to its token or its message is a "yes" to who sent it. */
export function checkedBy(kind: ProviderKind, answer: Answer): CheckedProvider {
  const meaning = readAnswer(platformOf[kind], answer)
  const providerCode = meaning.providerCode === '' ? null : meaning.providerCode
  const isTaken =
    answer.is === 'answered'
      ? meaning.class === 'sent' || meaning.class === 'dead' || (answer.status === 400 && meaning.class !== 'config')
      : kind === 'webpush' && answer.is === 'unsendable' && answer.why === 'address'
  if (isTaken) return { ok: true, code: null, providerCode: kind === 'webpush' ? null : providerCode }
  return { ok: false, code: 'code' in meaning ? meaning.code : 'provider_unavailable', providerCode }
}
