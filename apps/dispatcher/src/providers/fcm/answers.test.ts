import { expect, test } from 'vitest'
import { answerOf } from './answers.ts'

const now = new Date('2026-01-31T12:00:00.000Z')
const fcmError = (errorCode: string) => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode })
const violation = (field: string) => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description: '' }],
})
const answer = (status: number, data: unknown, retryAfter?: string) => answerOf({ status, retryAfter, data }, now)

test('the reason of an answer is FcmError’s code, or else the status of google.rpc', () => {
  expect(answer(404, { error: { status: 'NOT_FOUND', details: [fcmError('UNREGISTERED')] } })).toMatchObject({
    status: 404,
    reason: 'UNREGISTERED',
  })
  expect(answer(403, { error: { status: 'PERMISSION_DENIED' } })).toMatchObject({ reason: 'PERMISSION_DENIED' })
  expect(answer(502, undefined)).toMatchObject({ status: 502, reason: '' })
  expect(answer(500, { error: 'text' })).toMatchObject({ reason: '' })
})

test('the reason of an invalid argument says whether the token is to blame', () => {
  const details = [fcmError('INVALID_ARGUMENT'), violation('message.token')]
  expect(answer(400, { error: { status: 'INVALID_ARGUMENT', details } })).toMatchObject({ reason: 'INVALID_ARGUMENT message.token' })
  const others = [violation('message.android.ttl'), fcmError('INVALID_ARGUMENT')]
  expect(answer(400, { error: { status: 'INVALID_ARGUMENT', details: others } })).toMatchObject({ reason: 'INVALID_ARGUMENT' })
})

test('a push waits as long as FCM’s Retry-After says', () => {
  expect(answer(429, { error: { details: [fcmError('QUOTA_EXCEEDED')] } }, '7')).toMatchObject({ retryAfterMs: 7_000 })
})
