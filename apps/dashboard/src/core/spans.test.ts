import { expect, test } from 'vitest'
import { some } from './spans.ts'

test('one thing is named in the singular, and any other number in the plural', () => {
  expect([some(1, 'push', 'pushes'), some(2_000, 'push', 'pushes'), some(0, 'push', 'pushes')]).toEqual([
    '1 push',
    '2,000 pushes',
    '0 pushes',
  ])
})
