import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { settleGuarded, settleUnavailable } from './guarded.ts'

const refused = {
  place: 7,
  subscriptionId: newId(),
  userId: newId(),
  tokenVersion: 2,
  tries: 3,
  agoMs: 250,
  code: 'token_invalid' as const,
  providerCode: '400 BadDeviceToken',
}
const { place, subscriptionId, userId, tokenVersion, agoMs } = refused
const other = { place: 1, subscriptionId: newId(), userId: newId(), tries: 0, retryInMs: 5_000, code: null, providerCode: '' }
const finish = {
  batchId: newId(),
  takes: 1,
  environments: [],
  unsent: [],
  dead: [],
  guarded: [refused],
  unavailable: [],
  answers: [],
  credentialsVersion: null,
  retries: [other],
}
const decided = [
  {
    place,
    subscriptionId,
    userId,
    tokenVersion,
    attempts: 3,
    outcome: 'failed',
    code: 'token_invalid',
    providerCode: '400 BadDeviceToken',
  },
]

test('dead: failed for the ledger, and to be invalidated', () => {
  const dead = [{ subscriptionId, userId, tokenVersion, agoMs, deadSince: null, code: 'token_invalid' }]
  expect(settleGuarded(finish, 'dead')).toEqual({ dead, retries: [other], decided })
})

test('failed: nobody is invalidated', () => {
  expect(settleGuarded(finish, 'failed')).toEqual({ dead: [], retries: [other], decided })
})

test('retry: the try was none, and it comes after the rest of its batch', () => {
  const retries = [
    other,
    { place, subscriptionId, userId, tries: 2, retryInMs: 6_000, code: 'token_invalid', providerCode: '400 BadDeviceToken' },
  ]
  expect(settleGuarded(finish, 'retry')).toEqual({ dead: [], retries, decided: [] })
})

describe('pushes that the provider was not there for', () => {
  const push = { place, subscriptionId, userId, tokenVersion, environment: '' as const, code: 'timeout' as const, providerCode: '' }
  const [again, last] = [
    { ...push, tries: 2, retryInMs: 4_000 },
    { ...push, tries: 5, retryInMs: null },
  ]
  const back = { place, subscriptionId, userId, code: 'timeout', providerCode: '' }
  const settled = (isOpen: boolean, isProbe = false) =>
    settleUnavailable({ unavailable: [again, last], retries: [other] }, () => isOpen, isProbe)

  test('come back in their time, or have failed when their tries are used up', () => {
    expect(settled(false)).toEqual({
      retries: [other, { ...back, tries: 2, retryInMs: 4_000 }],
      decided: [{ place, subscriptionId, userId, tokenVersion, attempts: 5, outcome: 'failed', code: 'timeout', providerCode: '' }],
    })
  })

  test('have made no try while their circuit is open: none fails, and all go where they are held', () => {
    expect(settled(true)).toEqual({
      retries: [other, { ...back, tries: 1, retryInMs: 0 }, { ...back, tries: 4, retryInMs: 0 }],
      decided: [],
    })
  })

  test('come after the rest of their batch when they were a probe, so that the next probe asks another device', () => {
    expect(settled(true, true).retries.map(({ retryInMs }) => retryInMs)).toEqual([5_000, 6_000, 6_000])
  })
})
