import { expect, test } from 'vitest'
import { countTags } from './person.ts'

test('a tag that is written again counts once, and one that is deleted does not count', () => {
  expect(countTags(['seat', 'plan'], {})).toBe(2)
  expect(countTags(['seat', 'plan'], { seat: 8, vip: false })).toBe(3)
  expect(countTags(['seat', 'plan'], { seat: null, vip: null })).toBe(1)
})
