import { expect, test } from 'vitest'
import { countText, percentText, some, spanOf } from './number.ts'

test('thousands are separated by commas', () => expect(countText(1_234_567)).toBe('1,234,567'))

// spec: dashboard/few-are-not-none
test.each([
  [0, 0, '–'],
  [0, 10, '0 %'],
  [10, 10, '100 %'],
  [1, 3, '33.3 %'],
  [1, 100_000, '< 0.1 %'],
  [99_999, 100_000, '> 99.9 %'],
])('%i of %i is shown as "%s": a small share is never 0 %%, and a share below all is never 100 %%', (value, of, told) =>
  expect(percentText(value, of)).toBe(told),
)

test('a duration is shown in its two largest units', () => {
  expect([0.2, 1, 59.4, 60, 200, 3_600, 7_500, 86_400, 273_600].map(spanOf)).toEqual([
    'under a second',
    '1 s',
    '59 s',
    '1 min',
    '3 min 20 s',
    '1 h',
    '2 h 5 min',
    '1 day',
    '3 days 4 h',
  ])
})

test('one thing is named in the singular, and any other number in the plural', () => {
  expect([some(1, 'push', 'pushes'), some(2_000, 'push', 'pushes'), some(0, 'push', 'pushes')]).toEqual([
    '1 push',
    '2,000 pushes',
    '0 pushes',
  ])
})
