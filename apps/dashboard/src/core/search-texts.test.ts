import { expect, test } from 'vitest'
import { searchTexts } from './search-texts.ts'

test('a pasted link with foreign or wrong parameters keeps what it can', () => {
  expect(searchTexts({ q: 'vip', actor: 7, from: ['x'], to: '', other: 'y' }, ['q', 'actor', 'from', 'to'])).toEqual({ q: 'vip', actor: '7' })
})
