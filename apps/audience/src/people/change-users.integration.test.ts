import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { UserInBatch } from '@herald/contracts/user-batch'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changeUsers as change } from './change-users.ts'
import { openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const changeUsers = async (appId: string, users: UserInBatch[]) => (await dispatcher.bus.call(calls.changeUsers, { appId, users })).users

const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index))
const usersOf = (appId: string) =>
  db
    .selectFrom('users')
    .selectAll()
    .select(sql<string>`xmin::text`.as('commit'))
    .where('app_id', '=', appId)
    .orderBy('external_id')
    .execute()

test('audience makes and changes the users of a batch in one transaction, and answers in the order of the batch', async () => {
  const appId = newId()
  const [known] = await changeUsers(appId, [{ externalId: 'ann', tags: { plan: 'free', trial: true }, language: 'de' }])
  const annId = known && 'id' in known ? known.id : ''

  const answers = await changeUsers(appId, [
    { externalId: 'bob', country: 'DE' },
    { userId: annId, tags: { plan: 'pro', trial: null } },
    { userId: newId(), tags: { plan: 'pro' } },
    { externalId: 'cid' },
  ])

  const [ann, bob, cid] = await usersOf(appId)
  expect(answers).toMatchObject([
    { id: bob?.id, created: true },
    { id: annId, created: false },
    { fault: { code: 'not_found' } },
    { id: cid?.id, created: true },
  ])
  expect(ann).toMatchObject({ tags: { plan: 'pro' }, language: 'de', by_backend: true })
  expect(bob).toMatchObject({ external_id: 'bob', country: 'DE', by_backend: true })
  expect(new Set([ann?.commit, bob?.commit, cid?.commit]).size).toBe(1)
})

test('a batch of users that is repeated writes nothing', async () => {
  const appId = newId()
  const users = many(500, (index) => ({ externalId: `user-${index}`, tags: { plan: 'pro', gone: null }, timezone: 'Europe/Berlin' }))
  const first = await changeUsers(appId, users)
  const before = await usersOf(appId)

  const second = await changeUsers(appId, users)

  expect(first.every((answer) => 'created' in answer && answer.created)).toBe(true)
  expect(second).toEqual(first.map((answer) => ({ ...answer, created: false })))
  expect(await usersOf(appId)).toEqual(before)
  expect(before).toHaveLength(500)
})

test('a batch of users does not find or change a user of another app', async () => {
  const [mine, other] = [newId(), newId()]
  const [made] = await changeUsers(other, [{ externalId: 'ann' }])
  const userId = made && 'id' in made ? made.id : ''

  expect(await changeUsers(mine, [{ userId, language: 'de' }])).toMatchObject([{ fault: { code: 'not_found' } }])
  expect(await usersOf(other)).toMatchObject([{ language: null }])
})

test('batches of the same users at once, in any order, succeed with one user for each external id', async () => {
  const appId = newId()
  const names = many(60, (index) => `user-${index}`)

  const answers = await Promise.all(
    many(8, (batch) => {
      const order = names.map((_, place) => names[(place * 7 + batch * 13) % names.length] ?? '')
      return change({ db }, { appId, users: order.map((externalId) => ({ externalId, tags: { [`batch-${batch}`]: true } })) })
    }),
  )

  const users = await usersOf(appId)
  expect(users).toHaveLength(60)
  for (const { tags } of users) expect(Object.keys(tags)).toHaveLength(8)
  const made = answers.flat().filter((answer) => 'created' in answer && answer.created)
  expect(made).toHaveLength(60)
})

test('a batch of users for an app that was erased makes no user and is answered not_found', async () => {
  const appId = newId()
  await db.insertInto('erased_apps').values({ app_id: appId }).execute()

  await expect(changeUsers(appId, [{ externalId: 'ann' }])).rejects.toMatchObject({ code: 'not_found' })
  expect(await usersOf(appId)).toEqual([])
})
