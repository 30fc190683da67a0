import { expect, test } from 'vitest'
import type { AnswerMeaning } from './answer-meaning.ts'
import { isExpired, nextTry, secondsLeft, ttlLeftMs } from './retries.ts'

const schedule = [1, 4, 16, 60]
const hour = 3_600_000

const retry = (change: Partial<AnswerMeaning & { class: 'retry' }> = {}): AnswerMeaning & { class: 'retry' } => ({
  class: 'retry',
  code: 'provider_unavailable',
  providerCode: '503',
  retryAfterMs: null,
  maxTries: 5,
  ...change,
})

const waitAfter = (tries: number, random: number, meaning = retry()) => {
  const next = nextTry(meaning, { tries, ttlLeftMs: hour, schedule, random })
  return next.is === 'retry' ? next.inMs / 1000 : next.code
}

// spec: providers/tries
test('a push waits at least 1, 4, 16 and 60 s between attempts, and fails after the fifth', () => {
  expect([1, 2, 3, 4, 5].map((tries) => waitAfter(tries, 0))).toEqual([1, 4, 16, 60, 'provider_unavailable'])
})

// spec: providers/tries
test('the random share makes a wait at most a quarter longer', () => {
  expect([1, 2, 3, 4].map((tries) => waitAfter(tries, 1))).toEqual([1.25, 5, 20, 75])
})

// spec: providers/retry-after
test('a push waits as long as the provider asks, up to a quarter longer, never shorter than Herald would', () => {
  expect(waitAfter(1, 0, retry({ retryAfterMs: 7_000 }))).toBe(7)
  expect(waitAfter(1, 1, retry({ retryAfterMs: 8_000 }))).toBe(10)
  expect(waitAfter(4, 0, retry({ retryAfterMs: 0 }))).toBe(60)
})

// spec: providers/quota
test('a quota costs no attempt while the ttl lasts, and a push with a ttl of 0 has one try', () => {
  const quota = { ...retry({ code: 'rate_limited', retryAfterMs: 60_000 }), class: 'quota' as const }
  expect(nextTry(quota, { tries: 50, ttlLeftMs: hour, schedule, random: 1 })).toEqual({ is: 'retry', inMs: 75_000 })
  expect(nextTry(quota, { tries: 1, ttlLeftMs: 0, schedule, random: 0 })).toEqual({ is: 'failed', code: 'rate_limited' })
})

// spec: providers/tries-and-ttl
test('a push fails when its ttl ends before the next attempt', () => {
  expect(nextTry(retry(), { tries: 2, ttlLeftMs: 4_000, schedule, random: 0 })).toEqual({ is: 'failed', code: 'provider_unavailable' })
  expect(nextTry(retry(), { tries: 2, ttlLeftMs: 4_001, schedule, random: 0 })).toMatchObject({ is: 'retry' })
})

// spec: sending/ttl-zero
test('a push with a ttl of 0 has one attempt', () => {
  expect(nextTry(retry({ retryAfterMs: 0 }), { tries: 1, ttlLeftMs: 0, schedule, random: 0 })).toEqual({
    is: 'failed',
    code: 'provider_unavailable',
  })
})

test('a push whose answer Herald does not know fails after its third attempt', () => {
  const meaning = retry({ code: 'internal', maxTries: 3 })
  expect([1, 2, 3].map((tries) => waitAfter(tries, 0, meaning))).toEqual([1, 4, 'internal'])
})

// spec: sending/ttl-told
test('the provider is told what is left of the ttl, rounded up to seconds', () => {
  expect(ttlLeftMs(10, 4_000)).toBe(6_000)
  expect(secondsLeft(10, 0)).toBe(10)
  expect(secondsLeft(10, 9_500)).toBe(1)
  expect(secondsLeft(2_419_200, 1)).toBe(2_419_200)
})

// spec: sending/ttl-counts
test('a push expires when nothing of its ttl is left', () => {
  expect(isExpired(10, 9_999)).toBe(false)
  expect(isExpired(10, 10_000)).toBe(true)
})

// spec: sending/ttl-zero
test('a push with a ttl of 0 never expires, and the provider is told 0', () => {
  expect(isExpired(0, 60_000)).toBe(false)
  expect(secondsLeft(0, 60_000)).toBe(0)
})
