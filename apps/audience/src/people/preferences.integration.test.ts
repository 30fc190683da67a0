import * as calls from '@herald/contracts/calls/audience'
import type { Choices } from '@herald/contracts/category'
import { newId } from '@herald/contracts/ids'
import type { Bus } from '@herald/service/bus'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openAudience } from '../testing/rig.ts'
import { changeChoices } from './core/choices.ts'
import { removeAbandonedUsers } from './remove-abandoned-users.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

const register = (appId: string, token: string, externalId?: string) =>
  call(calls.registerSubscription, { appId, subscription: { platform: 'ios', token, ...(externalId === undefined ? {} : { externalId }) } })
const known = ['offers', 'news']
type Changes = Record<string, boolean | null>
const change = async (
  appId: string,
  of: calls.PreferencesOf,
  changes: Changes,
  keyKind: 'public' | 'secret' = 'secret',
): Promise<Choices> => (await call(calls.changePreferences, { appId, of, changes, known, keyKind })).choices
const read = async (appId: string, of: calls.PreferencesOf): Promise<Choices> => (await call(calls.readPreferences, { appId, of })).choices
const notFound = { code: 'not_found', message: 'Not found.' }

// spec: categories/person, categories/change
test('a choice that is made on one device holds for all devices of the person, and null takes it back', async () => {
  const appId = newId()
  const [one, two] = [await register(appId, 'one', 'ann'), await register(appId, 'two', 'ann')]
  expect(await change(appId, { subscriptionId: one.id }, { offers: false, news: true }, 'public')).toEqual({ offers: false, news: true })
  expect(await read(appId, { subscriptionId: two.id })).toEqual({ offers: false, news: true })
  expect(await change(appId, { externalId: 'ann' }, { offers: null })).toEqual({ news: true })
  expect(await change(appId, { userId: one.userId }, { news: null })).toEqual({})
  const row = await db.selectFrom('users').select('preferences').where('id', '=', one.userId).executeTakeFirstOrThrow()
  expect(row.preferences).toBeNull()
})

// spec: categories/change
test('two changes at once both hold', async () => {
  const appId = newId()
  const { userId } = await register(appId, 'one')
  await Promise.all([change(appId, { userId }, { offers: false }), change(appId, { userId }, { news: true })])
  expect(await read(appId, { userId })).toEqual({ offers: false, news: true })
})

// spec: categories/change
test('an unknown external id makes a user with the choice; an unknown device, user or app is not found', async () => {
  const appId = newId()
  expect(await change(appId, { externalId: 'new' }, { offers: false })).toEqual({ offers: false })
  const { userId } = await register(appId, 'one', 'new')
  expect(await read(appId, { userId })).toEqual({ offers: false })
  for (const of of [{ subscriptionId: newId() }, { userId: newId() }]) {
    await expect(change(appId, of, { offers: true })).rejects.toMatchObject(notFound)
    await expect(read(appId, of)).rejects.toMatchObject(notFound)
  }
  await expect(read(newId(), { userId })).rejects.toMatchObject(notFound)
  await expect(read(appId, { externalId: 'nobody' })).rejects.toMatchObject(notFound)
})

// spec: categories/person
test('an anonymous person’s choices stay when a login names the person, and stay behind when the device moves', async () => {
  const appId = newId()
  const [named, moved] = [await register(appId, 'one'), await register(appId, 'two')]
  for (const { id } of [named, moved]) await change(appId, { subscriptionId: id }, { offers: false }, 'public')
  await call(calls.loginSubscription, { appId, subscriptionId: named.id, externalId: 'ann' })
  expect(await read(appId, { externalId: 'ann' })).toEqual({ offers: false })

  await register(appId, 'three', 'bob')
  await call(calls.loginSubscription, { appId, subscriptionId: moved.id, externalId: 'bob' })
  expect(await read(appId, { subscriptionId: moved.id })).toEqual({})
  await call(calls.logoutSubscription, { appId, subscriptionId: named.id })
  expect(await read(appId, { subscriptionId: named.id })).toEqual({})
  expect(await read(appId, { externalId: 'ann' })).toEqual({ offers: false })
})

// spec: categories/exported
test('the administration’s read of a user and the export of everybody have the choices', async () => {
  const appId = newId()
  const { userId } = await register(appId, 'one', 'ann')
  await register(appId, 'two', 'bob')
  await change(appId, { userId }, { offers: false })
  expect((await call(calls.readMaskedUser, { appId, user: { userId } })).preferences).toEqual({ offers: false })
  const { users } = await call(calls.exportUsers, { appId, after: null, addresses: 'masked' })
  expect(Object.fromEntries(users.map(({ externalId, preferences }) => [externalId, preferences]))).toEqual({
    ann: { offers: false },
    bob: {},
  })
})

// spec: identity/abandoned-users
test('an abandoned user who has made a choice is not removed', async () => {
  const appId = newId()
  const ofPublic = (token: string, externalId: string) =>
    call(calls.registerSubscription, { appId, subscription: { platform: 'ios', token, externalId }, keyKind: 'public' })
  const [chooser, other] = [await ofPublic('one', 'ann'), await ofPublic('two', 'bob')]
  for (const { id } of [chooser, other]) await call(calls.deleteSubscription, { appId, subscriptionId: id })
  await change(appId, { userId: chooser.userId }, { offers: false }, 'public')
  await sql`update abandoned_users set due_at = now() - interval '1 second'`.execute(db)
  await removeAbandonedUsers({ db })
  const left = await db.selectFrom('users').select('id').where('app_id', '=', appId).execute()
  expect(left.map(({ id }) => id)).toEqual([chooser.userId])
})

test('of more than 200 choices only those of categories that exist are kept', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`gone${n}`, false]))
  expect(Object.keys(changeChoices(many, { gone0: true }, known))).toHaveLength(200)
  expect(changeChoices(many, { offers: false }, known)).toEqual({ offers: false })
})
