import { expect, test } from 'vitest'
import { percentOf, some, spanOf } from './spans.ts'

test('a length of time is told in its two largest units', () => {
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

test('a share is 0 % only of nothing and 100 % only of all', () => {
  expect([percentOf(0, 10), percentOf(1, 1_000), percentOf(999, 1_000), percentOf(1_000, 1_000)]).toEqual(['0 %', '< 1 %', '99 %', '100 %'])
  expect([percentOf(1, 3, 1), percentOf(9_999, 10_000, 1), percentOf(1, 100_000, 1), percentOf(0, 0)]).toEqual([
    '33.3 %',
    '99.9 %',
    '< 0.1 %',
    '–',
  ])
})

test('one is one and the others are many', () => {
  expect([some(1, 'push', 'pushes'), some(2_000, 'push', 'pushes'), some(0, 'push', 'pushes')]).toEqual([
    '1 push',
    '2,000 pushes',
    '0 pushes',
  ])
})
