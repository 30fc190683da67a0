import { expect, test } from 'vitest'
import { tagSizesAfter } from './identity.ts'
import { planUsersInBatch } from './users-in-batch.ts'

const ids = () => {
  let made = 0
  return () => `new-${(made += 1)}`
}
const tags = (count: number, value: string | null = 'yes') => Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, value]))

const sizes = (of: Record<string, string | null>) => tagSizesAfter(new Map(), of)

test('a user whom a batch names several times, by either id, is written once, and the last item wins', () => {
  const known = [{ id: 'ann-id', externalId: 'ann', tagSizes: sizes({ plan: 'pro' }) }]

  const { answers, users } = planUsersInBatch(
    known,
    [
      { externalId: 'ann', tags: { plan: 'free', trial: true }, language: 'de', country: 'DE' },
      { userId: 'ann-id', tags: { plan: 'pro', trial: null }, language: 'en' },
      { externalId: 'bob', tags: { plan: null } },
      { externalId: 'bob', timezone: 'Europe/Berlin' },
    ],
    ids(),
  )

  expect(answers).toEqual([
    { id: 'ann-id', created: false },
    { id: 'ann-id', created: false },
    { id: 'new-1', created: true },
    { id: 'new-1', created: false },
  ])
  expect(users).toEqual([
    {
      id: 'ann-id',
      externalId: 'ann',
      isNew: false,
      changes: { tags: { plan: 'pro', trial: null }, language: 'en', timezone: null, country: 'DE' },
    },
    {
      id: 'new-1',
      externalId: 'bob',
      isNew: true,
      changes: { tags: { plan: null }, language: null, timezone: 'Europe/Berlin', country: null },
    },
  ])
})

test('a batch item with an unknown id or 101st tag is refused alone, and the user’s later items are done', () => {
  const known = [{ id: 'ann-id', externalId: null, tagSizes: sizes(tags(99)) }]

  const { answers, users } = planUsersInBatch(
    known,
    [
      { userId: 'nobody', language: 'de' },
      { userId: 'ann-id', tags: { a: 1, b: 2 } },
      { userId: 'ann-id', tags: { a: 1 } },
      { userId: 'ann-id', tags: { b: 2 } },
      { userId: 'ann-id', tags: { a: null, b: 2 } },
    ],
    ids(),
  )

  expect(answers).toMatchObject([
    { fault: { code: 'not_found' } },
    { fault: { code: 'invalid_body', details: [{ path: 'tags' }] } },
    { id: 'ann-id' },
    { fault: { code: 'invalid_body' } },
    { id: 'ann-id' },
  ])
  expect(users).toMatchObject([{ id: 'ann-id', changes: { tags: { a: null, b: 2 } } }])
})

test('a user is not written when all items of a batch that name the user are refused', () => {
  const known = [{ id: 'ann-id', externalId: 'ann', tagSizes: sizes(tags(100)) }]
  expect(planUsersInBatch(known, [{ externalId: 'ann', tags: { more: 1 } }], ids()).users).toEqual([])
})
