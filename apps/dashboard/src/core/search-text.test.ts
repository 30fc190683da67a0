import { parseSearchWith } from '@tanstack/react-router'
import { expect, test } from 'vitest'
import { searchText } from './search-text.ts'

test.each(['customer-7', '671234567890123456789012', '12e345678901234567890123', '007', 'true', '"quoted"', 'a&b=c', '{}', 'ü'])(
  'the router reads the parameter %s back as the same text',
  (text) => {
    expect(parseSearchWith(JSON.parse)(searchText({ q: text, cursor: undefined }))).toEqual({ q: text })
  },
)

test('without parameters nothing is added to the address', () => {
  expect(searchText({ q: undefined })).toBe('')
})
