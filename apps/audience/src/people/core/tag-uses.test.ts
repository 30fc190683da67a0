import { expect, test } from 'vitest'
import { estimate, tagUsesOf } from './tag-uses.ts'

/** Gives a generator of random numbers that are the same in each run (mulberry32). */
function openRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

// spec: administration/tags
test('the interval of an estimated number holds the true one in over 90 % of samples, also in uniform blocks', () => {
  const random = openRandom(7)
  // There are 5,000 blocks of 20 users. In three of ten blocks either all users have the tag or none has it.
  const blocks = Array.from({ length: 5_000 }, (_, block) => {
    const share = block % 10 < 3 ? Math.round(random()) : 0.2
    return Array.from({ length: 20 }, () => (random() < share ? 1 : 0)).reduce<number>((sum, has) => sum + has, 0)
  })
  const truth = blocks.reduce((sum, count) => sum + count, 0)
  const samples = Array.from({ length: 400 }, () => {
    const drawn = blocks.filter(() => random() < 0.05)
    const sum = drawn.reduce((all, count) => all + count, 0)
    const squares = drawn.reduce((all, count) => all + count * count, 0)
    return estimate({ sum, squares }, { blocks: drawn.length, ofAll: blocks.length })
  })
  const held = samples.filter(({ low, high }) => low <= truth && truth <= high).length
  expect(held / samples.length).toBeGreaterThan(0.9)
  const mean = samples.reduce((sum, { count }) => sum + count, 0) / samples.length
  expect(Math.abs(mean - truth) / truth).toBeLessThan(0.02)
})

test('the number of users who have a tag is exact when every block was read', () => {
  expect(estimate({ sum: 12, squares: 60 }, { blocks: 4, ofAll: 4 })).toEqual({ count: 12, low: 12, high: 12 })
})

test('the interval of an estimated number of users never begins below the number that was counted', () => {
  const { low, high } = estimate({ sum: 1, squares: 1 }, { blocks: 10, ofAll: 1_000 })
  expect(low).toBe(1)
  expect(high).toBeGreaterThan(100)
})

// spec: administration/tags
test('tags are listed in the order of their names, with the type of their values', () => {
  const tag = (name: string, types: string[]) => ({ name, types, users: 1, squares: 1, values: ['1'] })
  const counted = {
    tags: [tag('plan', ['string']), tag('age', ['number', 'string']), tag('vip', ['boolean'])],
    users: 3,
    squares: 9,
    blocks: 1,
    ofAll: null,
    asOf: new Date(),
  }
  const { tags, exact, sample, users } = tagUsesOf(counted)
  expect(tags.map(({ name, type }) => [name, type])).toEqual([
    ['age', 'mixed'],
    ['plan', 'string'],
    ['vip', 'boolean'],
  ])
  expect({ exact, sample, users }).toEqual({ exact: true, sample: 3, users: 3 })
})
