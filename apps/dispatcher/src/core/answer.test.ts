import { expect, test } from 'vitest'
import { word } from './answer.ts'

// spec: providers/provider-word
test('of what a provider says, Herald stores at most 100 letters, digits and a few other signs', () => {
  expect(word('BadDeviceToken')).toBe('BadDeviceToken')
  expect(word('https://push.example/<secret>\n')).toBe('httpspush.examplesecret')
  expect(word('x'.repeat(500))).toHaveLength(100)
  expect(word(undefined)).toBe('')
})
