import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { settleGuarded } from './guarded.ts'

const now = new Date('2026-01-01T12:00:00.000Z')
const refused = {
  subscriptionId: newId(),
  userId: newId(),
  tokenVersion: 2,
  tries: 3,
  since: '2026-01-01T11:59:59.000Z',
  code: 'token_invalid' as const,
  providerCode: '400 BadDeviceToken',
}
const { subscriptionId, userId, tokenVersion, since } = refused
const other = { subscriptionId: newId(), userId: newId(), tries: 0, retryAt: '2026-01-01T12:00:05.000Z' }
const finish = {
  batchId: newId(),
  takes: 1,
  sent: [],
  dead: [],
  guarded: [refused],
  answers: [],
  credentialsVersion: null,
  retries: [other],
}
const decided = [
  { subscriptionId, userId, tokenVersion, attempts: 3, outcome: 'failed', code: 'token_invalid', providerCode: '400 BadDeviceToken' },
]

test('dead: failed for the ledger, and to be invalidated', () => {
  const dead = [{ subscriptionId, userId, tokenVersion, since, code: 'token_invalid' }]
  expect(settleGuarded(finish, 'dead', now)).toEqual({ dead, retries: [other], decided })
})

test('failed: nobody is invalidated', () => {
  expect(settleGuarded(finish, 'failed', now)).toEqual({ dead: [], retries: [other], decided })
})

test('retry: the try was none, and it comes after the rest of its batch', () => {
  const retries = [other, { subscriptionId, userId, tries: 2, retryAt: '2026-01-01T12:00:06.000Z' }]
  expect(settleGuarded(finish, 'retry', now)).toEqual({ dead: [], retries, decided: [] })
})
