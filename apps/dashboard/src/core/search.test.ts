import { expect, test } from 'vitest'
import { flagIn, numberIn, textIn, tidy, wordIn } from './search.ts'

test('search parameters in another form than expected are left out', () => {
  const raw = { q: ['a'], live: 'maybe', days: '3.5', way: 'train', empty: '' }
  expect([textIn(raw, 'q'), flagIn(raw, 'live'), numberIn(raw, 'days', 1, 90), wordIn(raw, 'way', ['car']), textIn(raw, 'empty')]).toEqual(
    Array(5).fill(undefined),
  )
})

test('a text of digits, which the router reads as a number, stays a text', () => expect(textIn({ q: 12 }, 'q')).toBe('12'))

test('a number outside of its limits is left out', () => {
  expect(numberIn({ days: 91 }, 'days', 1, 90)).toBeUndefined()
  expect(numberIn({ days: '90' }, 'days', 1, 90)).toBe(90)
})

test('parameters that are not set are not in the address', () => expect(Object.keys(tidy({ q: undefined, way: 'car' }))).toEqual(['way']))
