import { expect, test } from 'vitest'
import { maskToken } from './mask.ts'

// spec: identity/masked-token
test('of a token only the last 6 characters are shown', () => {
  expect(maskToken('0123456789abcdef')).toBe('…abcdef')
})

test('a token is never shown whole', () => {
  expect(maskToken('abcdef')).toBe('…')
})
