import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { packIds, unpackIds } from './compact-ids.ts'
import { recipientsOf, shortColumn, type RecipientColumns } from './recipient.ts'

const anyIds = fc.array(fc.stringMatching(/^[0-9a-f]{24}$/), { maxLength: 20 })

test('packed ids are read back unchanged and in order, and take 16 characters each', () => {
  fc.assert(
    fc.property(anyIds, (ids) => {
      expect(unpackIds(packIds(ids))).toEqual(ids)
      expect(packIds(ids)).toHaveLength(16 * ids.length)
    }),
  )
})

test('a column of recipients with one value travels once, and is left out when that is null', () => {
  expect(shortColumn([1, 1, 1])).toEqual({ all: 1 })
  expect(shortColumn([1, 2])).toEqual([1, 2])
  expect(shortColumn([null, null])).toBeUndefined()
  expect(shortColumn([null, 'a'])).toEqual([null, 'a'])
  expect(shortColumn([])).toEqual([])
})

const columns: RecipientColumns = {
  places: null,
  firstPlace: 3,
  subscriptionIds: packIds(['a'.repeat(24), 'b'.repeat(24)]),
  userIds: packIds(['c'.repeat(24), 'd'.repeat(24)]),
  addresses: ['one', 'two'],
  tokenVersions: { all: 4 },
}

test('a left-out column is null for all; `user`, `tags` and `subscription` are empty without their columns', () => {
  expect(recipientsOf(columns)).toEqual(
    [
      { place: 3, subscriptionId: 'a'.repeat(24), userId: 'c'.repeat(24), address: 'one' },
      { place: 4, subscriptionId: 'b'.repeat(24), userId: 'd'.repeat(24), address: 'two' },
    ].map((one) => ({
      ...one,
      ...{ keys: null, tokenVersion: 4, environment: null, language: null, timezone: null, user: {}, tags: {}, subscription: {} },
    })),
  )
})

test('each recipient has its own values, also under a name that every JavaScript object has', () => {
  const tags = JSON.parse('{"__proto__":["x",null],"plan":{"all":"gold"}}') as NonNullable<RecipientColumns['tags']>
  const [one, two] = recipientsOf({ ...columns, places: [7, 1], p256dh: ['k', null], auth: { all: 's' }, languages: ['de', null], tags })
  expect([one?.place, two?.place]).toEqual([7, 1])
  expect([one?.keys, two?.keys]).toEqual([{ p256dh: 'k', auth: 's' }, null])
  expect([one?.language, two?.language]).toEqual(['de', null])
  expect(Object.entries(one?.tags ?? {})).toEqual([
    ['__proto__', 'x'],
    ['plan', 'gold'],
  ])
  expect(Object.entries(two?.tags ?? {})).toEqual([['plan', 'gold']])
})
