import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { sql } from 'kysely'
import type { Bus } from '@herald/service/bus'
import { describe, expect, test } from 'vitest'
import { givenDevice, givenWebKeys, openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

const register = (appId: string, subscription: RegisterSubscription) => call(calls.registerSubscription, { appId, subscription })
const phone = (token: string): RegisterSubscription => ({ platform: 'ios', token })
const browser = (endpoint: string): RegisterSubscription => ({ platform: 'web', endpoint, keys: givenWebKeys() })
const device = (id: string) => db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
const user = (id: string) => db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
const notFound = { code: 'not_found', message: 'Not found.' }

describe('PATCH of a device', () => {
  // spec: identity/patch-device
  test('PATCH of a device changes the fields that it names and no others', async () => {
    const appId = newId()
    const { id } = await register(appId, { ...phone('token'), appVersion: '1.0', deviceModel: 'iPhone' })

    expect(await call(calls.patchSubscription, { appId, subscriptionId: id, changes: { optedIn: false } })).toEqual({ id, optedIn: false })
    expect(await call(calls.patchSubscription, { appId, subscriptionId: id, changes: { appVersion: '1.1' } })).toEqual({
      id,
      optedIn: false,
    })

    expect(await device(id)).toMatchObject({ opted_in: false, app_version: '1.1', device_model: 'iPhone' })
  })
})

describe('sessions of a device', () => {
  const startedAgo = (id: string, minutes: number) =>
    sql`
      update subscriptions set last_session_at = now() - make_interval(mins => ${minutes}), last_active_at = now() - interval '1 day'
      where id = ${id}`.execute(db)

  // spec: identity/session
  test('a session counts when the last began at least 30 minutes ago; the device is active now either way', async () => {
    const appId = newId()
    const { id, userId } = await register(appId, phone('token'))
    await db
      .updateTable('users')
      .set({ last_active_at: sql<Date>`now() - interval '1 day'` })
      .where('id', '=', userId)
      .execute()
    const userBefore = await user(userId)
    const start = () => call(calls.startSession, { appId, subscriptionId: id, session: { appVersion: '2.0' } })

    await startedAgo(id, 29)
    expect((await start()).sessionCount).toBe(1)
    await startedAgo(id, 30)
    const deviceBefore = await device(id)
    const second = await start()

    const row = await device(id)
    expect(second).toEqual({ id, sessionCount: 2, lastSessionAt: row?.last_session_at?.toISOString() })
    expect(row).toMatchObject({ app_version: '2.0' })
    expect(row?.last_active_at.getTime()).toBeGreaterThan(deviceBefore?.last_active_at.getTime() ?? 0)
    expect((await user(userId))?.last_active_at.getTime()).toBeGreaterThan(userBefore?.last_active_at.getTime() ?? 0)
  })

  test('a session that is started many times at once counts once', async () => {
    const appId = newId()
    const { id } = await register(appId, phone('token'))
    await startedAgo(id, 31)

    await Promise.all(Array.from({ length: 10 }, () => call(calls.startSession, { appId, subscriptionId: id, session: {} })))

    expect((await device(id))?.session_count).toBe(2)
  })
})

describe('login and logout', () => {
  // spec: identity/login, identity/login-renames, identity/login-joins
  test('login names an anonymous user; a second device that logs in belongs to that user with its tags', async () => {
    const appId = newId()
    const one = await register(appId, { ...phone('one'), tags: { plan: 'pro' } })
    const two = await register(appId, { ...phone('two'), tags: { plan: 'free' } })

    const first = await call(calls.loginSubscription, { appId, subscriptionId: one.id, externalId: 'ann' })
    const second = await call(calls.loginSubscription, { appId, subscriptionId: two.id, externalId: 'ann' })

    expect(first).toEqual({ userId: one.userId, externalId: 'ann' })
    expect(second).toEqual(first)
    expect(await user(two.userId)).toBeUndefined()
    expect(await user(one.userId)).toMatchObject({ external_id: 'ann', tags: { plan: 'pro' } })
  })

  // spec: identity/device-limit
  test('a login to a user with 100 devices is refused and changes nothing', async () => {
    const appId = newId()
    const { userId } = await givenDevice(db, { appId, externalId: 'ann' })
    await Promise.all(Array.from({ length: 99 }, () => givenDevice(db, { appId, userId })))
    const one = await register(appId, phone('one-more'))

    await expect(call(calls.loginSubscription, { appId, subscriptionId: one.id, externalId: 'ann' })).rejects.toMatchObject({
      code: 'limit_reached',
    })
    expect((await device(one.id))?.user_id).toBe(one.userId)
  })

  // spec: identity/logout
  test('logout gives the device to a new anonymous user without tags, with the owner’s language, timezone and country', async () => {
    const appId = newId()
    const about = { language: 'de', timezone: 'Europe/Berlin', country: 'DE' }
    const ann = await register(appId, { ...phone('token'), externalId: 'ann', tags: { plan: 'pro' }, ...about })

    const { userId } = await call(calls.logoutSubscription, { appId, subscriptionId: ann.id })

    expect(userId).not.toBe(ann.userId)
    expect(await user(userId)).toMatchObject({ external_id: null, ...about })
    expect(await user(userId)).toHaveProperty('tags', {})
    expect(await user(ann.userId)).toMatchObject({ external_id: 'ann', tags: { plan: 'pro' } })
    expect((await device(ann.id))?.user_id).toBe(userId)
  })

  // spec: identity/anonymous-user
  test('logout on the only device of an anonymous user deletes that user', async () => {
    const appId = newId()
    const anonymous = await register(appId, { ...phone('token'), tags: { plan: 'pro' } })

    const { userId } = await call(calls.logoutSubscription, { appId, subscriptionId: anonymous.id })

    expect(await user(anonymous.userId)).toBeUndefined()
    expect(await user(userId)).toHaveProperty('tags', {})
  })
})

describe('rotation of an endpoint', () => {
  const moved = givenWebKeys()
  const rotate = (appId: string, old: string, endpoint: string) =>
    call(calls.rotateSubscription, { appId, rotation: { old, new: { endpoint, keys: moved } } })

  // spec: identity/rotate
  test('rotation keeps the device and its opt-out, and changes endpoint, keys and token version; an invalidated device is valid again', async () => {
    const appId = newId()
    const { id } = await register(appId, browser('https://push.example/old'))
    await db.updateTable('subscriptions').set({ opted_in: false, invalidated_at: new Date() }).where('id', '=', id).execute()

    expect(await rotate(appId, 'https://push.example/old', 'https://push.example/new')).toEqual({ id })

    expect(await device(id)).toMatchObject({
      address: 'https://push.example/new',
      ...moved,
      token_version: 2,
      opted_in: false,
      invalidated_at: null,
    })
    await expect(rotate(appId, 'https://push.example/old', 'https://push.example/newer')).rejects.toMatchObject(notFound)
    expect((await register(appId, browser('https://push.example/new'))).id).toBe(id)
  })

  // spec: identity/rotate-onto-another
  test('rotation onto the endpoint of another device deletes the other device, and its owner if anonymous', async () => {
    const appId = newId()
    const one = await register(appId, browser('https://push.example/1'))
    const two = await register(appId, browser('https://push.example/2'))

    expect(await rotate(appId, 'https://push.example/1', 'https://push.example/2')).toEqual({ id: one.id })

    expect(await device(two.id)).toBeUndefined()
    expect(await user(two.userId)).toBeUndefined()
    expect((await device(one.id))?.user_id).toBe(one.userId)
  })

  test('rotation onto the same endpoint keeps the device and changes its keys', async () => {
    const appId = newId()
    const { id } = await register(appId, browser('https://push.example/1'))

    expect(await rotate(appId, 'https://push.example/1', 'https://push.example/1')).toEqual({ id })
    expect(await device(id)).toMatchObject(moved)
  })
})
