import { expect, test } from 'vitest'
import { spanOf } from './span-of.ts'

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
