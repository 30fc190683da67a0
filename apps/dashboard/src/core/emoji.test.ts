import { expect, test } from 'vitest'
import { emojiGroups, findEmoji } from './emoji.ts'
import { insertAt } from './insert-at.ts'

test('each emoji is there once, is one character to a reader, and is found by a word', () => {
  const all = emojiGroups.flatMap(({ emoji }) => emoji.map(([one]) => one))
  expect(all.length).toBeGreaterThan(150)
  expect(new Set(all).size).toBe(all.length)
  const readers = new Intl.Segmenter('en', { granularity: 'grapheme' })
  expect(all.filter((one) => [...readers.segment(one)].length !== 1)).toEqual([])
  expect(findEmoji(' Truck ').flatMap(({ emoji }) => emoji.map(([one]) => one))).toEqual(['🚚'])
  expect(findEmoji('')).toEqual(emojiGroups)
  expect(findEmoji('nothing at all')).toEqual([])
})

test('an emoji takes the place of what is selected', () => expect(insertAt('Hi you!', '👋', 3, 6)).toBe('Hi 👋!'))
