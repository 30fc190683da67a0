import { hash } from 'node:crypto'
import * as calls from '@herald/contracts/calls/audience'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openPeopleTurns } from './people-turns.ts'
import { openRegistrations } from './register-subscription.ts'
import { openImports } from '../testing/imports.ts'
import { openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const { bus } = dispatcher
const { importAll } = openImports({ db, bus })
const registerTogether = openRegistrations({ db, kept: db }, { maxWaiting: 5_000, full: queueUnavailable }, openPeopleTurns())

const token = 'a1b2c3d4e5f60718'
const capitals = token.toUpperCase()
const mixed = 'A1b2C3d4e5f60718'
const devicesOf = (appId: string) => db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).execute()
const usersOf = (appId: string) => db.selectFrom('users').selectAll().where('app_id', '=', appId).execute()
const register = (appId: string, more: object = {}) =>
  bus.call(calls.registerSubscription, { appId, subscription: { platform: 'ios', token, ...more } })
const searched = async (appId: string, written: string) =>
  (await bus.call(calls.findUserByAddress, { appId, address: { token: written } })).externalId

/** Inserts a device and its user as they were stored before tokens were written in small letters. `daysAgo`: when it last registered. */
async function givenOld(appId: string, address: string, { daysAgo, externalId }: { daysAgo: number; externalId: string }) {
  const [id, userId] = [newId(), newId()]
  await sql`insert into users (id, app_id, external_id) values (${userId}, ${appId}, ${externalId})`.execute(db)
  await sql`
    insert into subscriptions (id, app_id, user_id, platform, address, address_hash, registered_at)
    values (${id}, ${appId}, ${userId}, 'ios', ${address}, ${hash('sha256', `${appId} token:${address}`, 'buffer')},
      now() - make_interval(days => ${daysAgo}))`.execute(db)
  return { id, userId }
}

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
test('a token of Android and an iOS token with other characters than hexadecimal digits are different devices in different letter cases', async () => {
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

describe('a phone that was stored as several devices, with its token in different letter cases', () => {
  const stored = (appId: string) =>
    Promise.all([
      givenOld(appId, capitals, { daysAgo: 3, externalId: 'first' }),
      givenOld(appId, token, { daysAgo: 2, externalId: 'second' }),
      givenOld(appId, mixed, { daysAgo: 1, externalId: 'newest' }),
    ])

  // spec: identity/token-case
  test.each([
    ['registers', (appId: string) => register(appId, { token: capitals })],
    ['registers in a commit with others', (appId: string) => registerTogether({ appId, subscription: { platform: 'ios', token } })],
    ['is imported', (appId: string) => importAll(appId, [{ platform: 'ios', token: capitals }])],
  ])('is one device once it %s: the newest registration stays, with its owner', async (_, act) => {
    const appId = newId()
    const [, , newest] = await stored(appId)
    expect(await importAll(appId, [{ platform: 'ios', token }], { dryRun: true })).toMatchObject({ kept: 1, created: 0 })

    await act(appId)

    expect(await devicesOf(appId)).toMatchObject([{ id: newest.id, user_id: newest.userId, address: token }])
    expect(await searched(appId, mixed)).toBe('newest')
    expect(await usersOf(appId)).toHaveLength(3)
  })

  // spec: identity/token-case
  test.each([0, 1, 2])('is one device of the user who logs in, whichever of its ids the login names (%i)', async (named) => {
    const appId = newId()
    const twins = await stored(appId)

    await bus.call(calls.loginSubscription, { appId, subscriptionId: twins[named]!.id, externalId: 'now' })

    expect(await devicesOf(appId)).toMatchObject([{ id: twins[2].id, address: token }])
    expect(await searched(appId, token)).toBe('now')
  })

  test('leaves devices of other apps and with other tokens alone', async () => {
    const [appId, other] = [newId(), newId()]
    await Promise.all([stored(appId), stored(other), givenOld(appId, `${capitals}00`, { daysAgo: 1, externalId: 'else' })])

    await register(appId)

    expect((await devicesOf(appId)).map(({ address }) => address).toSorted()).toEqual([`${capitals}00`, token])
    expect(await devicesOf(other)).toHaveLength(3)
  })
})
