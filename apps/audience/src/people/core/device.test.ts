import { expect, test } from 'vitest'
import { maskAddress, maskToken } from './device.ts'

// spec: identity/masked-token
test('an answer about a user shows only the last 6 characters of a token', () => {
  expect(maskToken('0123456789abcdef')).toBe('…abcdef')
})

test('an answer about a user shows no character of a token that has only 6', () => {
  expect(maskToken('abcdef')).toBe('…')
})

// spec: administration/masked-addresses
test('the administration shows the first 8 characters of an address (token or endpoint), and no character of an address that has only 8', () => {
  expect(maskAddress('0123456789abcdef')).toBe('01234567…')
  expect(maskAddress('01234567')).toBe('…')
})
