import { expect, test } from 'vitest'
import { CreateCategory, isSubscribed, PreferenceChanges, showPreferences, type Category } from './category.ts'
import { serialize, type PushSend } from './payload.ts'
import { platforms } from './platform.ts'
import { parseBody } from './validate.ts'

// spec: categories/fields, categories/exempt
test.each([
  ['in', false, undefined, true],
  ['out', false, undefined, false],
  ['in', false, false, false],
  ['out', false, true, true],
  ['in', false, null, true],
  ['out', false, null, false],
  ['in', true, false, true],
  ['out', true, undefined, true],
] as const)('with default %s, locked %s and the own choice %s, a person is in the category: %s', (by, locked, choice, subscribed) => {
  expect(isSubscribed({ default: by, locked }, choice)).toBe(subscribed)
})

// spec: categories/id
test.each([
  ['offers', true],
  ['0-a_b', true],
  ['a'.repeat(32), true],
  ['', false],
  ['Offers', false],
  ['-a', false],
  ['a'.repeat(33), false],
  ['__proto__', false],
])('whether %j can be the id of a category: %s', (id, isRight) => {
  expect(CreateCategory.safeParse({ id, name: 'Offers', default: 'in' }).success).toBe(isRight)
})

const category = (id: string, fields: Partial<Category> = {}): Category => ({
  ...{ id, name: id, description: null, default: 'in', locked: false, presentation: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  ...fields,
})

// spec: categories/read-preferences
test('a category that is named like a member of every object has its default until the person chooses', () => {
  const shown = showPreferences([category('constructor', { default: 'out' }), category('news')], { news: false })
  expect(shown.categories.map(({ id, subscribed }) => [id, subscribed])).toEqual([
    ['constructor', false],
    ['news', false],
  ])
})

// spec: categories/change
test.each([
  [{}, 'categories'],
  [{ categories: {} }, 'categories'],
  [{ categories: { offers: 'no' } }, 'categories.offers'],
  [{ categories: { Offers: true } }, 'categories.Offers'],
  [{ categories: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`c${n}`, true])) }, 'categories'],
])('a wrong change of preferences is refused at its path', (body, path) => {
  const parse = () => parseBody(PreferenceChanges, body)
  expect(parse).toThrow(expect.objectContaining({ code: 'invalid_body', details: [expect.objectContaining({ path })] }))
})

const send: PushSend = {
  campaignId: '0'.repeat(24),
  silent: false,
  data: { heraldCategory: 'mine' },
  collapseId: null,
  priority: 'high',
  presentation: null,
}
const named = (fields: Partial<PushSend>) =>
  platforms.map((platform) => {
    const push = { msgId: 'm', entry: { title: 'a', body: 'b' }, send: { ...send, ...fields } }
    const made = JSON.parse(serialize(platform, push, 'token', 60)) as {
      herald?: { category?: string }
      data?: { heraldCategory?: string }
      message?: { data: { heraldCategory?: string } }
    }
    return made.herald ? made.herald.category : (made.message?.data ?? made.data)?.heraldCategory
  })

// spec: categories/payload
test('each platform’s payload names a category that can be left, over the sender’s data, and names no locked one', () => {
  const offers = { id: 'offers', default: 'in', locked: false } as const
  expect(named({ category: offers })).toEqual(['offers', 'offers', 'offers'])
  expect(named({ category: offers, silent: true })).toEqual(['offers', 'offers', 'offers'])
  expect(named({ category: { ...offers, locked: true } })).toEqual([undefined, 'mine', 'mine'])
  expect(named({})).toEqual([undefined, 'mine', 'mine'])
})
