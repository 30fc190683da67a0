import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { resolveGuarded, resolveUnavailable } from './guarded.ts'

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

test('when refused tokens count as dead, their pushes fail and their devices are invalidated', () => {
  const dead = [{ subscriptionId, userId, tokenVersion, agoMs, deadSince: null, code: 'token_invalid' }]
  expect(resolveGuarded(finish, 'dead')).toEqual({ dead, retries: [other], decided })
})

test('when refused tokens count as failed and not as dead, their pushes fail and no device is invalidated', () => {
  expect(resolveGuarded(finish, 'failed')).toEqual({ dead: [], retries: [other], decided })
})

test('when a push was refused for another reason than its token, the try does not count, and the push is tried again after the other retries of its batch', () => {
  const retries = [
    other,
    { place, subscriptionId, userId, tries: 2, retryInMs: 6_000, code: 'token_invalid', providerCode: '400 BadDeviceToken' },
  ]
  expect(resolveGuarded(finish, 'retry')).toEqual({ dead: [], retries, decided: [] })
})

describe('pushes for which a provider was unavailable', () => {
  const push = { place, subscriptionId, userId, tokenVersion, environment: '' as const, code: 'timeout' as const, providerCode: '' }
  const [again, last] = [
    { ...push, tries: 2, retryInMs: 4_000 },
    { ...push, tries: 5, retryInMs: null },
  ]
  const back = { place, subscriptionId, userId, code: 'timeout', providerCode: '' }
  const settled = (isOpen: boolean, isProbe = false) =>
    resolveUnavailable({ unavailable: [again, last], retries: [other] }, () => isOpen, isProbe)

  test('while the circuit is closed, a push for which the provider was unavailable is tried again at its time, or fails when its tries are used up', () => {
    expect(settled(false)).toEqual({
      retries: [other, { ...back, tries: 2, retryInMs: 4_000 }],
      decided: [{ place, subscriptionId, userId, tokenVersion, attempts: 5, outcome: 'failed', code: 'timeout', providerCode: '' }],
    })
  })

  test('while the circuit is open, pushes for which the provider was unavailable are held: the try does not count, and none fails', () => {
    expect(settled(true)).toEqual({
      retries: [other, { ...back, tries: 1, retryInMs: 0 }, { ...back, tries: 4, retryInMs: 0 }],
      decided: [],
    })
  })

  test('a probe for which the provider was unavailable comes back after the other retries, so that the next probe goes to another device', () => {
    expect(settled(true, true).retries.map(({ retryInMs }) => retryInMs)).toEqual([5_000, 6_000, 6_000])
  })
})
