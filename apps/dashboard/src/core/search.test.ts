import { expect, test } from 'vitest'
import { flagIn, textIn, tidy, wordIn } from './search.ts'

test('search parameters in another form than expected are left out', () => {
  const raw = { q: ['a'], live: 'maybe', way: 'train', empty: '' }
  expect([textIn(raw, 'q'), flagIn(raw, 'live'), wordIn(raw, 'way', ['car']), textIn(raw, 'empty')]).toEqual(Array(4).fill(undefined))
})

test('a text of digits, which the router reads as a number, stays a text', () => expect(textIn({ q: 12 }, 'q')).toBe('12'))

test('parameters that are not set are not in the address', () => expect(Object.keys(tidy({ q: undefined, way: 'car' }))).toEqual(['way']))
