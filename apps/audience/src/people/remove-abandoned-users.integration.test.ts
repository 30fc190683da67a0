import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changeOwner, changeUser } from './change-users.ts'
import { deleteSubscription } from './delete-subscription.ts'
import { loginSubscription, logoutSubscription } from './login-logout.ts'
import { registerSubscription } from './register-subscription.ts'
import { removeAbandonedUsers } from './remove-abandoned-users.ts'
import type { Tables } from '../store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('audience', {}), { url: url('audience'), poolSize: 4 })
const appId = newId()
const keyKind = 'public'

const register = (more: Partial<RegisterSubscription> = {}) =>
  registerSubscription({ db }, { appId, subscription: { platform: 'ios', token: newId(), ...more } as RegisterSubscription, keyKind })
const login = (subscriptionId: string, externalId: string, as: 'public' | 'secret' = keyKind) =>
  loginSubscription({ db }, { appId, subscriptionId, externalId, keyKind: as })
const daysLater = (days: number) => sql`update abandoned_users set due_at = due_at - make_interval(days => ${days})`.execute(db)
const keepHouse = async () => {
  while ((await removeAbandonedUsers({ db })).took > 0);
}
const isThere = async (externalId: string) =>
  (await db.selectFrom('users').select('id').where('app_id', '=', appId).where('external_id', '=', externalId).executeTakeFirst()) !==
  undefined
const candidates = async () => (await db.selectFrom('abandoned_users').select('user_id').execute()).length

// spec: identity/abandoned-users
test('users whom a device made by logging in and then left are deleted after 30 days, and not before', async () => {
  const { id } = await register()
  const names = Array.from({ length: 600 }, (_, no) => `made-${no}`)
  for (const name of names) await login(id, name)
  expect(await candidates()).toBe(599)

  await daysLater(29)
  await keepHouse()
  expect(await isThere('made-0')).toBe(true)
  await daysLater(1)
  await keepHouse()
  const left = await db.selectFrom('users').select('external_id').where('app_id', '=', appId).execute()
  expect(left.map((user) => user.external_id)).toEqual(['made-599'])
  expect(await candidates()).toBe(0)
})

// spec: identity/abandoned-users
test('a user without devices stays after 30 days with a new device, tag, field or secret key’s change', async () => {
  const { id } = await register()
  const other = await register()
  await login(id, 'tagged')
  await changeOwner({ db }, { appId, subscriptionId: id, changes: { tags: { plan: 'pro' } }, keyKind })
  await login(id, 'german')
  await changeOwner({ db }, { appId, subscriptionId: id, changes: { language: 'de' }, keyKind })
  await login(id, 'known-by-login', 'secret')
  await login(id, 'known-by-change')
  await changeUser({ db }, { appId, user: { externalId: 'known-by-change' }, changes: { tags: { a: null } } })
  await changeUser({ db }, { appId, user: { externalId: 'made-by-backend' }, changes: { tags: { a: null } } })
  await login(id, 'came-back')
  await login(id, 'bare')
  await login(other.id, 'came-back')
  await logoutSubscription({ db }, { appId, subscriptionId: id })

  await daysLater(31)
  await keepHouse()
  const names = ['tagged', 'german', 'known-by-login', 'known-by-change', 'made-by-backend', 'came-back', 'bare']
  expect(await Promise.all(names.map(isThere))).toEqual([true, true, true, true, true, true, false])
  expect(await candidates()).toBe(0)
})

test('an identified user without data goes 30 days after the only device’s deletion, an anonymous one at once', async () => {
  const named = await register({ externalId: 'removed' })
  const anonymous = await register()
  for (const { id } of [named, anonymous]) await deleteSubscription({ db }, { appId, subscriptionId: id })
  expect(await db.selectFrom('users').select('id').where('id', '=', anonymous.userId).execute()).toEqual([])
  expect(await isThere('removed')).toBe(true)
  await daysLater(31)
  await keepHouse()
  expect(await isThere('removed')).toBe(false)
})

test('a user whose device a secret key registered is not deleted 30 days after the device has left', async () => {
  const token = newId()
  const { id } = await register({ token, externalId: 'registered' })
  await registerSubscription({ db }, { appId, subscription: { platform: 'ios', token, externalId: 'registered' }, keyKind: 'secret' })
  await logoutSubscription({ db }, { appId, subscriptionId: id })
  await daysLater(31)
  await keepHouse()
  expect(await isThere('registered')).toBe(true)
})

test('when devices log in to users just being deleted, each gets a user with the right external id', async () => {
  const { id } = await register()
  const names = Array.from({ length: 20 }, (_, no) => `race-${no}`)
  for (const name of names) await login(id, name)
  await login(id, 'nobody')
  await daysLater(31)
  const devices = await Promise.all(names.map(() => register()))
  await Promise.all([...devices.map((device, no) => login(device.id, `race-${no}`)), keepHouse(), keepHouse()])
  for (const [no, device] of devices.entries()) {
    const owner = await db
      .selectFrom('subscriptions')
      .innerJoin('users', 'users.id', 'subscriptions.user_id')
      .select('users.external_id')
      .where('subscriptions.id', '=', device.id)
      .executeTakeFirstOrThrow()
    expect(owner.external_id).toBe(`race-${no}`)
  }
})
