import { expect, test } from 'vitest'
import { askedFor } from './call.ts'

test('the SDK reads Retry-After as whole seconds or as an HTTP date, and takes any other text for no wait', () => {
  expect(askedFor('0')).toBe(0)
  expect(askedFor('90')).toBe(90_000)
  const inAMinute = new Date(Date.now() + 60_000).toUTCString()
  expect(askedFor(inAMinute)).toBeGreaterThan(58_000)
  expect(askedFor(inAMinute)).toBeLessThanOrEqual(60_000)
  for (const text of ['', '-5', '1.5', '1e3', '0x10', ' 5', '5 s', 'soon', '2099-01-01', 'Foo, 99 Bar 2099 00:00:00 GMT'])
    expect([text, askedFor(text)]).toEqual([text, 0])
})
