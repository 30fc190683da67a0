import type { RegisterSubscription } from '@herald/contracts/subscription'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { registerSubscription } from './register-subscription.ts'
import { invalidateDead } from './store/subscriptions.ts'
import { givenDevice, openAudience } from '../testing/rig.ts'

const { db } = await openAudience()

const register = (appId: string, subscription: RegisterSubscription) => registerSubscription({ db }, { appId, subscription })
const phone = (token: string, change: Partial<RegisterSubscription & { platform: 'ios' }> = {}): RegisterSubscription => ({
  platform: 'ios',
  token,
  ...change,
})
const browser = (endpoint: string, keys = { p256dh: 'key', auth: 'auth' }): RegisterSubscription => ({
  platform: 'web',
  endpoint,
  keys,
  browser: 'Firefox',
})
const device = (id: string) => db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const user = (id: string) => db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
const usersOf = (appId: string) => db.selectFrom('users').selectAll().where('app_id', '=', appId).execute()

describe('a device that registers again', () => {
  // spec: identity/register
  test('a device that registers again is the same device of the same user', async () => {
    const appId = newId()

    const first = await register(appId, phone('token', { appVersion: '1.0', language: 'de' }))
    const second = await register(appId, phone('token', { appVersion: '1.1', osVersion: '18' }))

    expect(second).toEqual(first)
    expect(await device(first.id)).toMatchObject({
      app_version: '1.1',
      os_version: '18',
      token_version: 1,
      session_count: 1,
      opted_in: true,
    })
    expect(await user(first.userId)).toMatchObject({ external_id: null, language: 'de' })
    expect(await user(first.userId)).toHaveProperty('tags', {})
  })

  // spec: identity/one-device-per-address
  test('the same token in two apps is two devices, and so is one text as token and endpoint', async () => {
    const address = `https://push.example/${newId()}`
    const [one, other] = [newId(), newId()]

    const ids = [await register(one, phone(address)), await register(other, phone(address)), await register(one, browser(address))].map(
      ({ id }) => id,
    )

    expect(new Set(ids).size).toBe(3)
  })

  // spec: providers/dead-spares-the-new
  test('a device that registers again is not invalidated by an answer to an older push', async () => {
    const appId = newId()
    const [returned, silent] = [await register(appId, phone('returned')), await register(appId, phone('silent'))]
    await sql`update subscriptions set registered_at = now() - interval '1 day' where app_id = ${appId}`.execute(db)
    // The provider was asked about both devices an hour ago. Since then only one of them has registered.
    const dead = [returned, silent].map(({ id }) => ({
      ...{ subscriptionId: id, tokenVersion: 1, agoMs: 3_600_000, deadSince: null },
      ...{ code: 'token_dead', campaignId: newId() },
    }))

    await register(appId, phone('returned'))
    const invalidated = await invalidateDead(db, dead)

    expect(invalidated.map(({ id }) => id)).toEqual([silent.id])
    expect((await device(returned.id)).invalidated_at).toBeNull()
  })

  // spec: identity/register-counts-session
  test('a device that registers again begins a session only when its last one began at least 30 minutes ago', async () => {
    const appId = newId()
    const { id } = await register(appId, phone('token'))
    const startedAgo = (minutes: number) =>
      sql`update subscriptions set last_session_at = now() - make_interval(mins => ${minutes}) where id = ${id}`.execute(db)

    await startedAgo(29)
    await register(appId, phone('token'))
    expect((await device(id)).session_count).toBe(1)
    await startedAgo(30)
    await register(appId, phone('token'))
    expect((await device(id)).session_count).toBe(2)
    await register(appId, phone('token'))
    expect((await device(id)).session_count).toBe(2)
  })

  // spec: identity/register-revives, identity/token-version
  test('registering again opts a device in and makes an invalidated device valid, with a new token version', async () => {
    const appId = newId()
    const { id } = await register(appId, phone('token'))

    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', '=', id).execute()
    await register(appId, phone('token'))
    expect(await device(id)).toMatchObject({ opted_in: true, token_version: 2 })
    await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', id).execute()
    await register(appId, phone('token'))
    expect(await device(id)).toMatchObject({ invalidated_at: null, token_version: 3 })
  })

  // spec: identity/token-version
  test('a browser that registers again with new keys gets a new token version, with the same keys it does not', async () => {
    const appId = newId()
    const { id } = await register(appId, browser('https://push.example/1'))

    await register(appId, browser('https://push.example/1'))
    expect((await device(id)).token_version).toBe(1)
    await register(appId, browser('https://push.example/1', { p256dh: 'other', auth: 'auth' }))
    expect(await device(id)).toMatchObject({ token_version: 2, p256dh: 'other' })
  })
})

describe('who owns a device that registers', () => {
  // spec: identity/login-renames
  test('when an anonymous user’s device registers with an unknown external id, that user gets it, with userId and tags', async () => {
    const appId = newId()
    const { userId } = await register(appId, phone('token', { tags: { plan: 'free' } }))

    const named = await register(appId, phone('token', { externalId: 'ann', tags: { vip: true } }))

    expect(named.userId).toBe(userId)
    expect(await user(userId)).toMatchObject({ external_id: 'ann', tags: { plan: 'free', vip: true } })
  })

  // spec: identity/login-joins
  test('when an anonymous user’s device registers with a known user’s external id, it moves, and the anonymous user goes', async () => {
    const appId = newId()
    const ann = await register(appId, phone('first', { externalId: 'ann', tags: { plan: 'pro' } }))
    const anonymous = await register(appId, phone('second', { tags: { plan: 'free' } }))

    const moved = await register(appId, phone('second', { externalId: 'ann' }))

    expect(moved).toEqual({ ...anonymous, userId: ann.userId })
    expect(await user(anonymous.userId)).toBeUndefined()
    expect(await user(ann.userId)).toMatchObject({ tags: { plan: 'pro' } })
  })

  // spec: identity/login-moves
  test('an identified user whose only device registers with another external id keeps the external id and stays without devices', async () => {
    const appId = newId()
    const ann = await register(appId, phone('token', { externalId: 'ann' }))

    const bob = await register(appId, phone('token', { externalId: 'bob' }))

    expect(bob.id).toBe(ann.id)
    expect(bob.userId).not.toBe(ann.userId)
    expect(await user(ann.userId)).toMatchObject({ external_id: 'ann' })
    expect((await register(appId, phone('token', { externalId: 'ann' }))).userId).toBe(ann.userId)
  })

  // spec: identity/register-keeps-owner
  test('a registration without an external id never changes the owner of the device', async () => {
    const appId = newId()
    const ann = await register(appId, phone('token', { externalId: 'ann' }))
    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', '=', ann.id).execute()

    expect(await register(appId, phone('token'))).toEqual(ann)
  })

  test('the same external id in another app is another user', async () => {
    const [one, other] = [newId(), newId()]

    const users = [await register(one, phone('token', { externalId: 'ann' })), await register(other, phone('token', { externalId: 'ann' }))]

    expect(users[0]?.userId).not.toBe(users[1]?.userId)
  })

  // spec: identity/register-parallel
  test('several registrations of one device at the same time make one device with one owner', async () => {
    const appId = newId()

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => register(appId, phone('token', { externalId: `user-${index % 3}` }))),
    )

    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    const { user_id } = await device(answers[0]?.id ?? '')
    expect(answers.map(({ userId }) => userId)).toContain(user_id)
    expect(await usersOf(appId)).toHaveLength(3)
  })

  // spec: identity/register-parallel
  test('when the first devices of a user register at the same time, one user is made', async () => {
    const appId = newId()

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => register(appId, phone(`token-${index}`, { externalId: 'ann' }))),
    )

    expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(10)
    expect(await usersOf(appId)).toHaveLength(1)
  })

  test('when devices swap users at the same time each has one owner, and no anonymous user without devices is left', async () => {
    const appId = newId()
    await Promise.all(Array.from({ length: 8 }, (_, index) => register(appId, phone(`token-${index}`))))

    for (const round of [0, 1, 2]) {
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          register(appId, phone(`token-${index}`, { externalId: `user-${(index + round) % 2}`, tags: { round } })),
        ),
      )
    }

    expect(new Set((await usersOf(appId)).map(({ external_id }) => external_id))).toEqual(new Set(['user-0', 'user-1']))
    expect(await usersOf(appId)).toHaveLength(2)
    const owned = await db.selectFrom('subscriptions').select('user_id').where('app_id', '=', appId).execute()
    expect(owned).toHaveLength(8)
  })
})

describe('limits of a registration', () => {
  // spec: identity/tags-merge, identity/register-describes-owner
  test('the tags of a registration are merged into those of the user, who has at most 100 tags', async () => {
    const appId = newId()
    const tags = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`tag-${index}`, index]))
    const { userId } = await register(appId, phone('token', { externalId: 'ann', tags }))

    await expect(register(appId, phone('token', { tags: { 'one-more': 1 } }))).rejects.toMatchObject({
      code: 'invalid_body',
      details: [{ path: 'tags' }],
    })

    expect(Object.keys((await user(userId))?.tags ?? {})).toHaveLength(100)
    await register(appId, phone('token', { tags: { 'tag-7': 'changed' } }))
    expect((await user(userId))?.tags['tag-7']).toBe('changed')
  })

  // spec: identity/device-limit
  test('a user has at most 100 devices; the refused device keeps its owner', async () => {
    const appId = newId()
    const { userId } = await givenDevice(db, { appId, externalId: 'ann' })
    await Promise.all(Array.from({ length: 99 }, () => givenDevice(db, { appId, userId })))
    const anonymous = await register(appId, phone('one-more'))

    await expect(register(appId, phone('one-more', { externalId: 'ann' }))).rejects.toMatchObject({ code: 'limit_reached' })
    await expect(register(appId, phone('brand-new', { externalId: 'ann' }))).rejects.toMatchObject({ code: 'limit_reached' })

    expect((await device(anonymous.id)).user_id).toBe(anonymous.userId)
  })
})
