import { expect, test } from 'vitest'
import { maskAddress, maskToken } from './mask.ts'

// spec: identity/masked-token
test('of a token only the last 6 characters are shown', () => {
  expect(maskToken('0123456789abcdef')).toBe('…abcdef')
})

test('a token is never shown whole', () => {
  expect(maskToken('abcdef')).toBe('…')
})

// spec: administration/masked-addresses
test('administration is shown the first 8 characters of a token or an endpoint, and none of a short one', () => {
  expect(maskAddress('0123456789abcdef')).toBe('01234567…')
  expect(maskAddress('01234567')).toBe('…')
})
