import { expect, test } from 'vitest'
import { maskAddress, maskToken } from './device.ts'

// spec: identity/masked-token
test('a token that is masked for an answer about a user shows only its last 6 characters', () => {
  expect(maskToken('0123456789abcdef')).toBe('…abcdef')
})

test('a token that has only 6 characters shows none of them when it is masked', () => {
  expect(maskToken('abcdef')).toBe('…')
})

// spec: administration/masked-addresses
test('a masked address (token or endpoint) shows its first 8 characters, and none when it has only 8', () => {
  expect(maskAddress('0123456789abcdef')).toBe('01234567…')
  expect(maskAddress('01234567')).toBe('…')
})
