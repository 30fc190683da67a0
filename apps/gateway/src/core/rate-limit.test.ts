import { expect, test } from 'vitest'
import { RateLimit } from './rate-limit.ts'

// spec: limits/rate-window
test('within 60 s as many requests pass as the rate limit says, and as many in the next window', () => {
  const limit = new RateLimit(3)
  const passed = (now: number) => Array.from({ length: 5 }, () => limit.take('a', now).allowed)

  expect(passed(60_000)).toEqual([true, true, true, false, false])
  expect(passed(119_999)).toEqual([false, false, false, false, false])
  expect(passed(120_000)).toEqual([true, true, true, false, false])
})

test('a rate limit counts each API key or address by itself', () => {
  const limit = new RateLimit(1)
  expect([limit.take('a', 0).allowed, limit.take('b', 0).allowed, limit.take('a', 0).allowed]).toEqual([true, true, false])
})

// spec: limits/rate-headers
test('a rate limit tells how many requests are left, and in how many whole seconds its window ends', () => {
  const limit = new RateLimit(2)
  expect(limit.take('a', 60_000)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
  expect(limit.take('a', 90_500)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 30 })
  expect(limit.take('a', 119_999)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 })
})

test('a flood of addresses makes a rate limit forget the one longest not seen, not one that keeps asking', () => {
  const limit = new RateLimit(2)
  limit.take('busy', 0)
  limit.take('quiet', 0)
  for (const n of Array(99_998).keys()) limit.take(`k${n}`, 0)
  limit.take('busy', 0)
  limit.take('one more', 0)

  expect(limit.take('busy', 0).allowed).toBe(false)
  expect(limit.take('quiet', 0).remaining).toBe(1)
})

// spec: limits/rate-window
test('a rate limit of 0 is switched off', () => {
  expect([new RateLimit(0).isOn, new RateLimit(1).isOn]).toEqual([false, true])
})
