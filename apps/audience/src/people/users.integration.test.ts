import * as calls from '@herald/contracts/calls/audience'
import { eraseUser } from '@herald/contracts/calls/webhooks'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { openBus, type Bus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { givenNotified } from '../testing/play-ledger.ts'
import { givenWebKeys, openAudience } from '../testing/rig.ts'

const { db, config, dispatcher, peers, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

const webhooks = await openBus(testService('webhooks', config))
const told: string[] = []
let webhooksIsAway = false
webhooks.answer(eraseUser, async ({ userId }) => {
  if (webhooksIsAway) throw queueUnavailable()
  told.push(userId)
  return {}
})

const register = (appId: string, subscription: RegisterSubscription) => call(calls.registerSubscription, { appId, subscription })
const phone = (token: string): RegisterSubscription => ({ platform: 'ios', token })
const keys = givenWebKeys()
const browser = (endpoint: string): RegisterSubscription => ({ platform: 'web', endpoint, keys })
const device = (id: string) => db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
const user = (id: string) => db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
const notFound = { code: 'not_found', message: 'Not found.' }

describe('changing a user', () => {
  // spec: identity/change-user, identity/tags-merge
  test('a user’s change through one device holds for all: tags are merged, and a null tag is deleted', async () => {
    const appId = newId()
    const one = await register(appId, { ...phone('one'), externalId: 'ann', tags: { plan: 'free', trial: true } })
    await register(appId, { ...phone('two'), externalId: 'ann' })

    const changes = { tags: { plan: 'pro', trial: null }, language: 'de' }
    const answer = await call(calls.changeOwner, { appId, subscriptionId: one.id, changes })

    expect(answer).toEqual({ userId: one.userId, tags: { plan: 'pro' } })
    const read = await call(calls.readUser, { appId, user: { externalId: 'ann' } })
    expect(read).toMatchObject({ tags: { plan: 'pro' }, language: 'de' })
    expect(read.subscriptions).toHaveLength(2)
  })

  // spec: identity/change-makes-user
  test('changing a user with an unknown external id makes a user without devices, whose tags a later login finds', async () => {
    const appId = newId()

    const made = await call(calls.changeUser, { appId, user: { externalId: 'ann' }, changes: { tags: { plan: 'pro' } } })
    const one = await register(appId, phone('one'))
    const owner = await call(calls.loginSubscription, { appId, subscriptionId: one.id, externalId: 'ann' })

    expect(made).toMatchObject({ externalId: 'ann', tags: { plan: 'pro' }, subscriptions: [] })
    expect(owner.userId).toBe(made.id)
  })

  // spec: identity/change-makes-user
  test('ten changes at once for the same unknown external id make one user who has the tags of all ten', async () => {
    const appId = newId()

    await Promise.all(
      Array.from({ length: 10 }, (_, place) =>
        call(calls.changeUser, { appId, user: { externalId: 'ann' }, changes: { tags: { [`tag-${place}`]: place } } }),
      ),
    )

    expect(Object.keys((await call(calls.readUser, { appId, user: { externalId: 'ann' } })).tags)).toHaveLength(10)
  })

  test('a change of a user by the app’s backend does not count as activity of the user', async () => {
    const appId = newId()
    const { userId } = await register(appId, phone('token'))
    const before = await user(userId)

    await call(calls.changeUser, { appId, user: { userId }, changes: { country: 'DE' } })

    expect(await user(userId)).toMatchObject({ country: 'DE', last_active_at: before?.last_active_at })
  })

  // spec: identity/tags-merge
  test('a change is refused when the user would have more than 100 tags', async () => {
    const appId = newId()
    const tags = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`tag-${place}`, place]))
    const { id, userId } = await register(appId, { ...phone('token'), tags })
    const refused = { code: 'invalid_body', details: [{ path: 'tags' }] }

    const changes = { tags: { 'one-more': 1 } }
    await expect(call(calls.changeOwner, { appId, subscriptionId: id, changes })).rejects.toMatchObject(refused)
    await expect(call(calls.changeUser, { appId, user: { userId }, changes })).rejects.toMatchObject(refused)

    expect(Object.keys((await user(userId))?.tags ?? {})).toHaveLength(100)
    await call(calls.changeUser, { appId, user: { userId }, changes: { tags: { 'one-more': 1, 'tag-7': null } } })
  })

  // spec: identity/tags, identity/tags-merge
  test('a change, registration or batch item is refused when the user would have over 16 KiB of tags', async () => {
    const appId = newId()
    const large = 'x'.repeat(1_000)
    // Each of these tags takes 1,011 bytes (`"t10": "…", `), and `last` takes 12 and its letters.
    const tags = Object.fromEntries(Array.from({ length: 16 }, (_, place) => [`t${10 + place}`, large]))
    const { id, userId } = await register(appId, { ...phone('token'), externalId: 'ann', tags })
    const refused = { code: 'invalid_body', details: [{ path: 'tags' }] }
    const fits = { tags: { last: 'x'.repeat(16_384 - 16 * 1_011 - 12) } }
    const changes = { tags: { last: `${fits.tags.last}x` } }

    await expect(call(calls.changeOwner, { appId, subscriptionId: id, changes })).rejects.toMatchObject(refused)
    await expect(call(calls.changeUser, { appId, user: { userId }, changes })).rejects.toMatchObject(refused)
    await expect(register(appId, { ...phone('token'), ...changes })).rejects.toMatchObject(refused)
    await expect(register(appId, { ...phone('another'), tags: { ...tags, ...changes.tags } })).rejects.toMatchObject(refused)
    const { users } = await call(calls.changeUsers, {
      appId,
      users: [
        { userId, ...changes },
        { externalId: 'bob', tags: { ...tags, ...changes.tags } },
      ],
    })
    expect(users).toMatchObject([{ fault: refused }, { fault: refused }])
    expect((await user(userId))?.tags).toEqual(tags)

    await register(appId, { ...phone('token'), ...fits })
    await call(calls.changeOwner, { appId, subscriptionId: id, changes: { tags: { last: null } } })
    await call(calls.changeOwner, { appId, subscriptionId: id, changes: fits })
    expect((await call(calls.changeUsers, { appId, users: [{ userId, ...fits }] })).users).toEqual([{ id: userId, created: false }])
    expect((await user(userId))?.tags).toEqual({ ...tags, ...fits.tags })
  })
})

describe('reading a user', () => {
  // spec: identity/masked-token, identity/read-user, identity/last-notified, identity/user-fields, identity/device-fields
  test('reading a user shows a token’s last 6 characters, an endpoint with keys, and each device’s last push', async () => {
    const appId = newId()
    const one = await register(appId, { ...phone('0123456789abcdef'), externalId: 'ann' })
    await register(appId, { ...browser('https://push.example/1'), externalId: 'ann' })
    await givenNotified(db, [one.id])

    const read = await call(calls.readUser, { appId, user: { userId: one.userId } })

    expect(read).toEqual(await call(calls.readUser, { appId, user: { externalId: 'ann' } }))
    expect(read).toMatchObject({ id: one.userId, externalId: 'ann', language: null })
    expect(read.tags).toEqual({})
    const [mobile, web] = read.subscriptions.toSorted((a, b) => a.platform.localeCompare(b.platform))
    expect(mobile).toMatchObject({ id: one.id, platform: 'ios', token: '…abcdef', optedIn: true, sessionCount: 1, invalidatedAt: null })
    expect(mobile?.lastNotifiedAt).toMatch(/Z$/)
    expect(web).toMatchObject({ platform: 'web', endpoint: 'https://push.example/1', keys, lastNotifiedAt: null })
    expect(web).not.toHaveProperty('token')
    expect(JSON.stringify(read)).not.toContain('0123456789')
  })

  // spec: identity/user-fields
  test('the answer about an anonymous user has no externalId', async () => {
    const appId = newId()
    const { userId } = await register(appId, phone('token'))

    expect(await call(calls.readUser, { appId, user: { userId } })).not.toHaveProperty('externalId')
  })

  // spec: webhooks/external-id-late
  test('the external ids of many users are read at once; anonymous users and users of another app have none', async () => {
    const appId = newId()
    const ann = await register(appId, { ...phone('one'), externalId: 'ann' })
    const anonymous = await register(appId, phone('two'))
    const foreign = await register(newId(), { ...phone('one'), externalId: 'bob' })

    const userIds = [ann.userId, anonymous.userId, foreign.userId]
    expect(await call(calls.findExternalIds, { appId, userIds })).toEqual({ externalIds: { [ann.userId]: 'ann' } })
  })
})

describe('deleting devices and users', () => {
  // spec: identity/delete-device, identity/anonymous-user
  test('deleting the only device of a user deletes the user if anonymous, but not if identified', async () => {
    const appId = newId()
    const anonymous = await register(appId, phone('one'))
    const ann = await register(appId, { ...phone('two'), externalId: 'ann' })
    await givenNotified(db, [anonymous.id])

    await call(calls.deleteSubscription, { appId, subscriptionId: anonymous.id })
    await call(calls.deleteSubscription, { appId, subscriptionId: ann.id })

    expect(await user(anonymous.userId)).toBeUndefined()
    expect(await user(ann.userId)).toBeDefined()
    expect(await db.selectFrom('subscriptions').select('id').where('app_id', '=', appId).execute()).toEqual([])
    expect(await db.selectFrom('last_notified').selectAll().where('subscription_id', '=', anonymous.id).execute()).toEqual([])
  })

  // spec: identity/erase-user
  test('after a user’s deletion no row has the external id, tokens or tags, and webhooks is told', async () => {
    const appId = newId()
    const token = `canary-token-${newId()}`
    const externalId = `canary-${newId()}`
    const ann = await register(appId, { ...phone(token), externalId, tags: { secret: 'canary-tag' } })
    await register(appId, { ...browser(`https://push.example/${token}`), externalId })
    const former = await register(appId, { ...phone('former'), externalId })
    await call(calls.logoutSubscription, { appId, subscriptionId: former.id })
    expect(await db.selectFrom('former_devices').select('subscription_id').where('user_id', '=', ann.userId).execute()).toHaveLength(1)
    await db.insertInto('abandoned_users').values({ user_id: ann.userId }).execute()
    await givenNotified(db, [ann.id])
    const [ended, campaignId] = [new Date(Date.now() + 60_000), newId()]
    await sql`insert into fan_outs (campaign_id, app_id, bound_id, waves, due_at) values (${campaignId}, ${appId}, '', '[]', null)`.execute(
      db,
    )
    await db.insertInto('wave_claims').values({ campaign_id: campaignId, subscription_id: ann.id }).execute()
    await db.insertInto('cap_claims').values({ app_id: appId, user_id: ann.userId, campaign_id: campaignId, expires_at: ended }).execute()

    await call(calls.deleteUser, { appId, user: { externalId } })
    await until(() => told.includes(ann.userId) && peers.erased.includes(ann.userId))
    await until(async () => (await db.selectFrom('erasures').selectAll().where('user_id', '=', ann.userId).execute()).length === 0)

    for (const table of [
      'users',
      'subscriptions',
      'former_devices',
      'abandoned_users',
      'last_notified',
      'fan_outs',
      'batches',
      'announcements',
      'erasures',
      'wave_claims',
      'cap_claims',
    ] as const) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(table)} as t`.execute(db)
      const named = rows.filter(({ row }) => row.includes('canary') || row.includes(ann.userId) || row.includes(ann.id))
      expect({ table, named }).toEqual({ table, named: [] })
    }
    await expect(call(calls.readUser, { appId, user: { externalId } })).rejects.toMatchObject(notFound)
  })

  // spec: conversions/erased
  test('audience tells tracker and webhooks of a deleted user again and again until both have answered', async () => {
    const appId = newId()
    const { userId } = await register(appId, phone('token'))
    webhooksIsAway = true

    await call(calls.deleteUser, { appId, user: { userId } })
    const waiting = () => db.selectFrom('erasures').selectAll().where('user_id', '=', userId).executeTakeFirst()
    await until(async () => (await waiting())?.tries === 1)
    expect(told).not.toContain(userId)
    webhooksIsAway = false
    await db
      .updateTable('erasures')
      .set({ due_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .execute()

    await until(() => told.includes(userId))
    await until(async () => (await waiting()) === undefined)
  })

  test('when a user is deleted while devices register for that user, none of these devices stays with the deleted user', async () => {
    const appId = newId()
    for (const round of [1, 2, 3, 4, 5]) {
      await register(appId, { ...phone(`first-${round}`), externalId: 'ann' })
      await Promise.all([
        ...Array.from({ length: 8 }, (_, place) => register(appId, { ...phone(`${round}-${place}`), externalId: 'ann' })),
        call(calls.deleteUser, { appId, user: { externalId: 'ann' } }),
      ])
    }
    await call(calls.deleteUser, { appId, user: { externalId: 'ann' } }).catch(() => undefined)

    expect(await db.selectFrom('subscriptions').select('id').where('app_id', '=', appId).execute()).toEqual([])
    expect(await db.selectFrom('users').select('id').where('app_id', '=', appId).execute()).toEqual([])
  })
})

describe('devices and users of another app', () => {
  // spec: limits/foreign-ids
  test('another app’s device or user is answered word for word like one that does not exist', async () => {
    const [appId, foreign] = [newId(), newId()]
    const theirs = await register(foreign, { ...browser('https://push.example/theirs'), externalId: 'ann' })
    const rotation = { old: 'https://push.example/theirs', new: { endpoint: 'https://push.example/mine', keys } }

    for (const { subscriptionId, userId } of [
      { subscriptionId: theirs.id, userId: theirs.userId },
      { subscriptionId: newId(), userId: newId() },
    ]) {
      const all = [
        () => call(calls.patchSubscription, { appId, subscriptionId, changes: { optedIn: false } }),
        () => call(calls.startSession, { appId, subscriptionId, session: {} }),
        () => call(calls.loginSubscription, { appId, subscriptionId, externalId: 'ann' }),
        () => call(calls.logoutSubscription, { appId, subscriptionId }),
        () => call(calls.changeOwner, { appId, subscriptionId, changes: { country: 'DE' } }),
        () => call(calls.deleteSubscription, { appId, subscriptionId }),
        () => call(calls.rotateSubscription, { appId, rotation }),
        () => call(calls.readUser, { appId, user: { userId } }),
        () => call(calls.readUser, { appId, user: { externalId: 'ann' } }),
        () => call(calls.changeUser, { appId, user: { userId }, changes: { country: 'DE' } }),
        () => call(calls.deleteUser, { appId, user: { userId } }),
        () => call(calls.deleteUser, { appId, user: { externalId: 'ann' } }),
      ]
      for (const ask of all) await expect(ask()).rejects.toMatchObject(notFound)
    }
    expect(await device(theirs.id)).toMatchObject({ user_id: theirs.userId, opted_in: true })
  })
})
