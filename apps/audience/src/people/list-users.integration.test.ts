import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { Listed } from '@herald/contracts/page'
import type { UserSummary } from '@herald/contracts/person'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import type { Bus } from '@herald/service/bus'
import { looksOf } from '@herald/testing/plans'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listUsers } from './read-users.ts'
import { givenNotified } from '../testing/play-ledger.ts'
import { givenCrowd, givenWebKeys, openAudience } from '../testing/rig.ts'
import type { Tables } from '../store/tables.ts'

const { db, config, dispatcher, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)
const notFound = { code: 'not_found', message: 'Not found.' }

const phone = (more: Partial<RegisterSubscription> = {}) =>
  ({ platform: 'ios', token: `token-of-${newId()}`, ...more }) as RegisterSubscription
const register = (appId: string, more: Parameters<typeof phone>[0] = {}) =>
  call(calls.registerSubscription, { appId, subscription: phone(more) })
const keys = givenWebKeys()

type Query = { q?: string; segmentId?: string; segment?: Record<string, unknown> }
/** Reads all pages of a list and gives the ids. Checks that no page holds more than `limit`. */
async function all(appId: string, query: Query = {}, limit = 100) {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Listed<UserSummary> = await call(calls.listUsers, {
      ...{ appId, limit, ...query },
      ...(cursor === undefined ? {} : { cursor }),
    })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids
}
const newestFirst = (ids: string[]) => ids.toSorted().toReversed()

// spec: administration/users
test('users are listed newest first, each once, on pages of any size and with the numbers of their devices', async () => {
  const [appId, other] = [newId(), newId()]
  const crowd = await givenCrowd(db, { appId, count: 23 })
  await givenCrowd(db, { appId: other, count: 5 })
  const owners = (await sql<{ id: string }>`select user_id as id from subscriptions where app_id = ${appId}`.execute(db)).rows.map(
    ({ id }) => id,
  )

  for (const limit of [1, 7, 23, 100]) expect(await all(appId, {}, limit)).toEqual(newestFirst(owners))

  expect(crowd).toHaveLength(23)
  const ann = await register(appId, { externalId: 'ann', language: 'de', country: 'AT' })
  await register(appId, { externalId: 'ann', platform: 'android' })
  const { id } = await call(calls.registerSubscription, {
    appId,
    subscription: { platform: 'web', endpoint: 'https://push.example/of-ann', keys, externalId: 'ann' },
  })
  await call(calls.patchSubscription, { appId, subscriptionId: id, changes: { optedIn: false } })
  const { items } = await call(calls.listUsers, { appId, limit: 5, q: 'ann' })
  expect(items).toEqual([
    {
      ...{ id: ann.userId, externalId: 'ann', language: 'de', timezone: null, country: 'AT' },
      ...{ createdAt: expect.stringMatching(/Z$/), lastActiveAt: expect.stringMatching(/Z$/) },
      ...{ devices: { ios: 1, android: 1, web: 1 }, reachable: 2 },
    },
  ])
})

// spec: administration/users-search
test('the search q finds an app’s user by the user’s id and by a device’s id', async () => {
  const [appId, other] = [newId(), newId()]
  const one = await register(appId)
  const foreign = await register(other)

  for (const q of [one.userId, one.id]) expect(await all(appId, { q })).toEqual([one.userId])
  for (const q of [foreign.userId, foreign.id, newId()]) expect(await all(appId, { q })).toEqual([])
})

// spec: administration/users-search
test('the search q finds users by their external id’s beginning, in the same letter case, also like an id', async () => {
  const appId = newId()
  const likeAnId = 'aaaaaaaaaaaaaaaaaaaaaaaa'
  const names = ['customer-1', 'customer-12', 'Customer-1', 'customer', 'über-1', '100%', 'a_b', 'axb', `${likeAnId}-more`]
  const ids = new Map<string, string>()
  for (const externalId of names) ids.set(externalId, (await register(appId, { externalId })).userId)
  await register(newId(), { externalId: 'customer-1' })
  const named = (...of: string[]) => newestFirst(of.map((name) => ids.get(name) ?? ''))

  expect(await all(appId, { q: 'customer-1' }, 1)).toEqual(named('customer-1', 'customer-12'))
  expect(await all(appId, { q: 'Cust' })).toEqual(named('Customer-1'))
  expect(await all(appId, { q: 'ü' })).toEqual(named('über-1'))
  expect(await all(appId, { q: '100%' })).toEqual(named('100%'))
  expect(await all(appId, { q: 'a_' })).toEqual(named('a_b'))
  expect(await all(appId, { q: likeAnId })).toEqual(named(`${likeAnId}-more`))
  expect(await all(appId, { q: 'nobody' })).toEqual([])
  expect(await all(appId, { q: '' })).toHaveLength(names.length)
})

// spec: administration/users-search
test('when more than 5,000 external ids begin with the search q, pages list their users newest first, each once', async () => {
  const appId = newId()
  await sql`
    insert into users (id, app_id, external_id)
    select lpad(to_hex(n), 24, '0'), ${appId}, case when n % 10 = 0 then 'staff-' else 'customer-' end || n from generate_series(1, 6000) n`.execute(
    db,
  )

  const customers = await all(appId, { q: 'customer-' }, 200)
  expect(customers).toHaveLength(5_400)
  expect(customers).toEqual(newestFirst(customers))
  expect(new Set(customers).size).toBe(5_400)
  expect(await all(appId, { q: 'staff-' }, 200)).toHaveLength(600)
})

// spec: administration/users-of-segment
test('a list of users with a segment has exactly the users who have a reachable device in the segment', async () => {
  const appId = newId()
  const pro = await register(appId, { tags: { plan: 'pro' }, externalId: 'pro' })
  await register(appId, { tags: { plan: 'pro' }, externalId: 'pro' })
  const old = await register(appId, { tags: { plan: 'pro' }, externalId: 'proud' })
  await register(appId, { tags: { plan: 'free' } })
  const out = await register(appId, { tags: { plan: 'pro' } })
  await call(calls.patchSubscription, { appId, subscriptionId: out.id, changes: { optedIn: false } })
  const definition = { field: 'tags.plan', op: 'eq', value: 'pro' }
  const { id: segmentId } = await call(calls.createSegment, { appId, segment: { name: 'Pro', definition } })

  expect(await all(appId, { segmentId }, 1)).toEqual(newestFirst([pro.userId, old.userId]))
  expect(await all(appId, { segment: definition }, 1)).toEqual(newestFirst([pro.userId, old.userId]))
  expect(await all(appId, { segmentId, q: 'prou' })).toEqual([old.userId])
  expect(await all(appId, { segmentId, q: out.id })).toEqual([])
  const foreign = { appId: newId(), segmentId, limit: 10 }
  await expect(call(calls.listUsers, foreign)).rejects.toMatchObject(notFound)
})

// spec: administration/users-of-segment, limits/list-gaps
test('a list of users with a segment finds a rare user after empty pages of 10,000 users each', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 21_000, platform: 'android' })
  const { rows } = await sql<{ id: string }>`
    update users set tags = '{"winner": true}' where id = (select min(id) from users where app_id = ${appId}) returning id`.execute(db)
  const definition = { field: 'tags.winner', op: 'eq', value: true }
  const { id: segmentId } = await call(calls.createSegment, { appId, segment: { name: 'Winner', definition } })

  const first = await call(calls.listUsers, { appId, limit: 10, segmentId })
  expect(first).toMatchObject({ items: [], nextCursor: expect.any(String) })
  expect(await all(appId, { segmentId })).toEqual([rows[0]?.id])
})

test('a list of users with an invalid cursor is refused, and the error names the field', async () => {
  await expect(call(calls.listUsers, { appId: newId(), limit: 1, cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'cursor' }],
  })
})

test('a page of users and a search by external id read few rows, by indexes, among 20,000 users', async () => {
  const [appId, large] = [newId(), newId()]
  await givenCrowd(db, { appId: large, count: 20_000 })
  await givenCrowd(db, { appId, count: 20_000, platform: 'android' })
  await register(appId, { externalId: 'needle-1' })
  await sql`analyze users`.execute(db)
  await sql`analyze subscriptions`.execute(db)

  for (const q of ['', 'needle', newId()]) {
    const looks = await looksOf<Tables>(config.DATABASE_URL_AUDIENCE, (fresh) =>
      listUsers({ db: fresh, lastNotified: async () => true }, { appId, limit: 10, q }),
    )
    expect([q, looks.flatMap(({ scanned }) => scanned)]).toEqual([q, []])
    expect([q, Math.max(...looks.map(({ pages }) => pages)) < 300]).toEqual([q, true])
  }
})

// spec: administration/address-search, administration/masked-addresses
test('a user is found by a device’s token or endpoint, only in the user’s app, and addresses are masked', async () => {
  const appId = newId()
  const one = await register(appId, {
    token: 'canary-token-of-a-phone',
    externalId: 'ann',
    tags: { plan: 'pro' },
  })
  await register(appId, { token: 'short', externalId: 'ann' })
  const endpoint = 'https://push.example/canary-of-a-browser'
  await call(calls.registerSubscription, { appId, subscription: { platform: 'web', endpoint, keys, externalId: 'ann' } })
  await givenNotified(db, [one.id])

  const found = await call(calls.findUserByAddress, { appId, address: { token: 'canary-token-of-a-phone' } })

  expect(found).toEqual(await call(calls.findUserByAddress, { appId, address: { endpoint } }))
  expect(found).toEqual(await call(calls.readMaskedUser, { appId, user: { userId: one.userId } }))
  expect(found).toMatchObject({ id: one.userId, externalId: 'ann', tags: { plan: 'pro' }, preferences: {} })
  expect(found.subscriptions.map(({ token, endpoint: address }) => token ?? address ?? '').toSorted()).toEqual([
    'canary-t…',
    'https://…',
    '…',
  ])
  expect(found.subscriptions.find(({ id }) => id === one.id)).toMatchObject({ lastNotifiedAt: expect.stringMatching(/Z$/), optedIn: true })
  const text = JSON.stringify(found)
  for (const secret of ['of-a-phone', 'of-a-browser', keys.auth, keys.p256dh]) expect(text).not.toContain(secret)
  for (const [app, address] of [
    [appId, { token: endpoint }],
    [appId, { endpoint: 'canary-token-of-a-phone' }],
    [newId(), { endpoint }],
  ] as const)
    await expect(call(calls.findUserByAddress, { appId: app, address })).rejects.toMatchObject(notFound)
})

// spec: administration/user-read, administration/masked-addresses
test('a device is read with its owner and a masked address, and a device of another app is not found', async () => {
  const appId = newId()
  const one = await register(appId, { token: 'canary-token-of-a-device', externalId: 'ann' })
  const anonymous = await register(appId)

  expect(await call(calls.readDevice, { appId, subscriptionId: one.id })).toMatchObject({
    ...{ id: one.id, platform: 'ios', token: 'canary-t…', optedIn: true, sessionCount: 1, lastNotifiedAt: null },
    user: { id: one.userId, externalId: 'ann' },
  })
  expect((await call(calls.readDevice, { appId, subscriptionId: anonymous.id })).user).toEqual({ id: anonymous.userId, externalId: null })
  await expect(call(calls.readDevice, { appId: newId(), subscriptionId: one.id })).rejects.toMatchObject(notFound)
})
