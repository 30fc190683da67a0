import { expect, test } from 'vitest'
import { retryAfterMs, word } from './answer.ts'

const now = new Date('2026-01-31T12:00:00.000Z')

// spec: providers/retry-after
test.each([
  ['7', 7_000],
  ['0', 0],
  ['1000000000', 3_600_000],
  ['Sat, 31 Jan 2026 12:00:30 GMT', 30_000],
  ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ['soon', null],
  ['', null],
  [undefined, null],
  [['7'], null],
])('a Retry-After of %o means a wait of %o ms', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})

// spec: providers/provider-word
test('of what a provider says, Herald stores at most 100 letters, digits and a few other signs', () => {
  expect(word('BadDeviceToken')).toBe('BadDeviceToken')
  expect(word('https://push.example/<secret>\n')).toBe('httpspush.examplesecret')
  expect(word('x'.repeat(500))).toHaveLength(100)
  expect(word(undefined)).toBe('')
})
