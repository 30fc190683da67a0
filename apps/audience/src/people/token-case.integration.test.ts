import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { openImports } from '../testing/imports.ts'
import { openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const { bus } = dispatcher
const { importAll } = openImports({ db, bus })

const token = 'a1b2c3d4e5f60718'
const capitals = token.toUpperCase()
const mixed = 'A1b2C3d4e5f60718'
const devicesOf = (appId: string) => db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).execute()
const register = (appId: string, more: object = {}) =>
  bus.call(calls.registerSubscription, { appId, subscription: { platform: 'ios', token, ...more } })
const searched = async (appId: string, written: string) =>
  (await bus.call(calls.findUserByAddress, { appId, address: { token: written } })).externalId

// spec: identity/token-case
test('an iOS token of hexadecimal digits is one device in either letter case, at registration, import, search and login', async () => {
  const appId = newId()
  const { id } = await register(appId, { token: mixed, externalId: 'ann' })

  expect(await register(appId, { token: capitals })).toMatchObject({ id })
  expect(await importAll(appId, [{ platform: 'ios', token: capitals, externalId: 'bob' }], { onExisting: 'update' })).toMatchObject({
    updated: 1,
  })
  await bus.call(calls.loginSubscription, { appId, subscriptionId: id, externalId: 'cat' })

  expect(await devicesOf(appId)).toMatchObject([{ id, address: token }])
  for (const written of [token, capitals, mixed]) expect(await searched(appId, written)).toBe('cat')
})

// spec: identity/token-case
test('letter case matters in Android tokens, and in iOS tokens that are not only hexadecimal digits', async () => {
  const appId = newId()
  for (const [platform, each] of [
    ['android', 'ABC-xyz'],
    ['android', 'abc-xyz'],
    ['ios', 'Simulated-1'],
    ['ios', 'simulated-1'],
    ['android', capitals],
  ] as const)
    await register(appId, { platform, token: each })

  expect((await devicesOf(appId)).map(({ address }) => address).toSorted()).toEqual(
    ['ABC-xyz', 'abc-xyz', 'Simulated-1', 'simulated-1', capitals].toSorted(),
  )
})
