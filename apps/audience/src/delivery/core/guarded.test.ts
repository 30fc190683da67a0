import { newId } from '@herald/contracts/ids'
import type { FailureCode } from '@herald/contracts/outcome'
import { describe, expect, test } from 'vitest'
import type { RefusalMeaning } from './circuit.ts'
import { resolveGuarded, resolveUnavailable } from './guarded.ts'

const refused = {
  place: 7,
  subscriptionId: newId(),
  userId: newId(),
  tokenVersion: 2,
  environment: '' as const,
  host: '',
  letter: 'g' as const,
  tries: 3,
  retryInMs: null,
  agoMs: 250,
  code: 'token_invalid' as const,
  providerCode: '400 BadDeviceToken',
}
const { place, subscriptionId, userId, tokenVersion, agoMs } = refused
const other = { place: 1, subscriptionId: newId(), userId: newId(), tries: 0, retryInMs: 5_000, code: null, providerCode: '' }
const finish = { dead: [], guarded: [refused], retries: [other] }
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
const device = { subscriptionId, userId, tokenVersion, agoMs, deadSince: null, code: 'token_invalid' }
const verdict =
  (meaning: RefusalMeaning, code: FailureCode | null = null) =>
  () => ({ meaning, code })

test('when refused tokens count as dead, their pushes fail and their devices are invalidated', () => {
  expect(resolveGuarded(finish, verdict('dead'))).toEqual({ dead: [device], retries: [other], decided, counted: [] })
})

test('when refused tokens count as failed and not as dead, their pushes fail and no device is invalidated', () => {
  expect(resolveGuarded(finish, verdict('failed'))).toEqual({ dead: [], retries: [other], decided, counted: [] })
})

test('a device of other credentials fails with sender_mismatch, and its campaign is counted', () => {
  expect(resolveGuarded(finish, verdict('counted', 'sender_mismatch'))).toEqual({
    dead: [],
    retries: [other],
    decided: [{ ...decided[0], code: 'sender_mismatch' }],
    counted: [{ ...device, code: 'sender_mismatch' }],
  })
})

test('a refused push that has attempts left is tried again at its time, and the attempt counts', () => {
  const { counted, ...resolved } = resolveGuarded({ ...finish, guarded: [{ ...refused, retryInMs: 4_000 }] }, verdict('counted'))
  expect(counted).toEqual([])
  expect(resolved.decided).toEqual([])
  expect(resolved.retries.at(-1)).toMatchObject({ subscriptionId, tries: 3, retryInMs: 4_000 })
})

test('a push refused for another reason than its token counts no try, and follows the batch’s other retries', () => {
  const retries = [
    other,
    { place, subscriptionId, userId, tries: 2, retryInMs: 6_000, code: 'token_invalid', providerCode: '400 BadDeviceToken' },
  ]
  expect(resolveGuarded(finish, verdict('retry'))).toEqual({ dead: [], retries, decided: [], counted: [] })
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

  test('while the circuit is closed, a push that finds the provider unavailable is tried again, or fails after its tries', () => {
    expect(settled(false)).toEqual({
      retries: [other, { ...back, tries: 2, retryInMs: 4_000 }],
      decided: [{ place, subscriptionId, userId, tokenVersion, attempts: 5, outcome: 'failed', code: 'timeout', providerCode: '' }],
    })
  })

  test('while the circuit is open, pushes that find the provider unavailable are held: no try counts, none fails', () => {
    expect(settled(true)).toEqual({
      retries: [other, { ...back, tries: 1, retryInMs: 0 }, { ...back, tries: 4, retryInMs: 0 }],
      decided: [],
    })
  })

  test('a probe that finds the provider unavailable comes back last, so that the next one goes to another device', () => {
    expect(settled(true, true).retries.map(({ retryInMs }) => retryInMs)).toEqual([5_000, 6_000, 6_000])
  })
})
