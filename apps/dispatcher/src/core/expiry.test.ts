import { expect, test } from 'vitest'
import { isExpired, secondsLeft, ttlLeftMs } from './expiry.ts'

// spec: sending/ttl-told
test('what is left of a ttl, rounded up for the provider', () => {
  expect(ttlLeftMs(10, 4_000)).toBe(6_000)
  expect(secondsLeft(10, 0)).toBe(10)
  expect(secondsLeft(10, 9_500)).toBe(1)
  expect(secondsLeft(2_419_200, 1)).toBe(2_419_200)
})

// spec: sending/ttl-counts
test('a push expires when nothing is left', () => {
  expect(isExpired(10, 9_999)).toBe(false)
  expect(isExpired(10, 10_000)).toBe(true)
})

// spec: sending/ttl-zero
test('a ttl of 0 never expires: it is now or never at the provider', () => {
  expect(isExpired(0, 60_000)).toBe(false)
  expect(secondsLeft(0, 60_000)).toBe(0)
})
