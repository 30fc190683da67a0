import { expect, test } from 'vitest'
import { isTyped } from './typed-text.ts'

// spec: dashboard/confirm-sends
test.each([
  ['49,485', '49,485', true],
  ['49485', '49,485', true],
  [' 49 485 ', '49,485', true],
  ['4948', '49,485', false],
  ['', '49,485', false],
  ['customer-7', 'customer-7', true],
  ['customer7', 'customer-7', false],
])('typing "%s" where "%s" is asked for counts: %s', (typed, wanted, counts) => {
  expect(isTyped(typed, wanted)).toBe(counts)
})
