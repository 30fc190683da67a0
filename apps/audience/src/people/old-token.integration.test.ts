import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { Bus } from '@herald/service/bus'
import { expect, test } from 'vitest'
import { openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

const register = (appId: string, token: string, more: object = {}) =>
  call(calls.registerSubscription, { appId, subscription: { platform: 'android', token, ...more } })
const devicesOf = (appId: string) => db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).orderBy('id').execute()

// spec: identity/old-token
test('a phone that registers a new token with its old one stays the same device, with tags and test mark', async () => {
  const appId = newId()
  const first = await register(appId, 'old-token', { externalId: 'ann', tags: { plan: 'pro' } })
  await call(calls.markTestDevice, { appId, subscriptionId: first.id, test: true })

  const second = await register(appId, 'cP9fTq0dR2e1Gh3JkLmN0p', { old: 'old-token' })

  expect(second).toEqual(first)
  expect(await devicesOf(appId)).toMatchObject([{ id: first.id, address: 'cP9fTq0dR2e1Gh3JkLmN0p', token_version: 2, opted_in: true }])
  expect(await call(calls.readMaskedUser, { appId, user: { externalId: 'ann' } })).toMatchObject({
    tags: { plan: 'pro' },
    subscriptions: [{ id: first.id, test: true }],
  })
})

// spec: identity/old-token
test('a phone whose registration with an old token is repeated, or whose old token no device has, is registered once', async () => {
  const appId = newId()
  const first = await register(appId, 'one')
  for (let time = 0; time < 2; time += 1) expect(await register(appId, 'two', { old: 'one' })).toEqual(first)
  expect(await register(appId, 'two', { old: 'two' })).toEqual(first)

  expect((await register(appId, 'three', { old: 'of nobody' })).id).not.toBe(first.id)
  expect(await devicesOf(appId)).toHaveLength(2)
})

// spec: identity/old-token
test('when another device has the new token, it is removed and the phone keeps its id; other apps’ devices stay', async () => {
  const [appId, other] = [newId(), newId()]
  const phone = await register(appId, 'one', { externalId: 'ann' })
  await register(appId, 'two')
  const foreign = await register(other, 'one')

  expect(await register(appId, 'two', { old: 'one' })).toEqual(phone)

  expect(await devicesOf(appId)).toMatchObject([{ id: phone.id, address: 'two' }])
  expect(await devicesOf(other)).toMatchObject([{ id: foreign.id, address: 'one' }])
  expect(await db.selectFrom('users').selectAll().where('app_id', '=', appId).execute()).toHaveLength(1)
})

// spec: identity/old-token, identity/token-case
test('an iOS token and an old one are each found in either letter case', async () => {
  const appId = newId()
  const phone = await register(appId, 'aa11', { platform: 'ios' })

  expect(await register(appId, 'BB22', { platform: 'ios', old: 'AA11' })).toEqual({ ...phone })
  expect(await devicesOf(appId)).toMatchObject([{ id: phone.id, address: 'bb22' }])
})

// spec: identity/old-token
test('registrations of one phone that name its old token and run at the same time end as one device', async () => {
  const appId = newId()
  const { id } = await register(appId, 'one')

  await Promise.all([
    register(appId, 'two', { old: 'one' }),
    register(appId, 'two', { old: 'one', externalId: 'ann' }),
    register(appId, 'two', { old: 'one' }),
  ])
  expect(await devicesOf(appId)).toMatchObject([{ id, address: 'two' }])
})

// spec: identity/old-token
test('a registration with an old token that is refused changes nothing', async () => {
  const appId = newId()
  for (let n = 0; n < 100; n += 1) await register(appId, `full-${n}`, { externalId: 'full' })
  await register(appId, 'aa11', {
    platform: 'ios',
    externalId: 'ann',
    tags: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`t${n}`, n])),
  })
  await register(appId, 'bb22', { platform: 'ios', externalId: 'bob' })
  const before = await devicesOf(appId)

  const refused = { platform: 'ios', old: 'aa11' }
  await expect(register(appId, 'bb22', { ...refused, externalId: 'full' })).rejects.toMatchObject({ code: 'limit_reached' })
  await expect(register(appId, 'bb22', { ...refused, tags: { more: 1 } })).rejects.toMatchObject({ code: 'invalid_body' })

  expect(await devicesOf(appId)).toEqual(before)
})
