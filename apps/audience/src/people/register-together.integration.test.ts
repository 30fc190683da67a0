import * as calls from '@herald/contracts/calls/audience'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { until } from '@herald/testing/until'
import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { changeOwner } from './change-users.ts'
import { openPeopleTurns } from './people-turns.ts'
import { openRegistrations } from './register-subscription.ts'
import { givenDevice, openAudience } from '../testing/rig.ts'

const { db, bus, startProcess } = await openAudience()
const register = openRegistrations({ db, frequentDb: db }, { maxWaiting: 5_000, full: queueUnavailable }, openPeopleTurns())

const phone = (token: string, change: Partial<RegisterSubscription & { platform: 'ios' }> = {}): RegisterSubscription => ({
  platform: 'ios',
  token,
  ...change,
})
const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index))
const usersOf = (appId: string) => db.selectFrom('users').selectAll().where('app_id', '=', appId).execute()
const devicesOf = (appId: string) => db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).execute()

/** Locks a row in a separate transaction. Gives a function that ends the transaction. */
async function holdRow(lock: RawBuilder<unknown>): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (trx) => {
    await lock.execute(trx)
    isLocked()
    await released
  })
  await Promise.race([locked, holding])
  return () => {
    release()
    return holding
  }
}

/** Whether a statement waits for a row that another transaction has locked. */
async function isLockAwaited(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

test('registrations that wait at the same time share a commit', async () => {
  const appId = newId()

  const answers = await Promise.all(
    many(80, (index) => register({ appId, subscription: phone(`token-${index}`, { externalId: `user-${index}` }) })),
  )

  expect(new Set(answers.map(({ id }) => id)).size).toBe(80)
  const { rows } = await sql<{
    commits: number
  }>`select count(distinct xmin::text) as commits from subscriptions where app_id = ${appId}`.execute(db)
  expect(rows[0]?.commits).toBeLessThanOrEqual(2)
})

test('one registration takes two database statements, and so do twenty registrations together, of new and of known devices', async () => {
  const appId = newId()
  let statements = 0
  const counted = db.withPlugin({
    transformQuery({ node }) {
      statements += 1
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const registerCounted = openRegistrations(
    { db: counted, frequentDb: counted },
    { maxWaiting: 5_000, full: queueUnavailable },
    openPeopleTurns(),
  )
  const asked = many(20, (index) => ({ appId, subscription: phone(`token-${index}`, { externalId: `user-${index}`, tags: { index } }) }))
  const told: number[] = []
  for (const some of [asked.slice(0, 1), asked.slice(0, 1), asked, asked]) {
    statements = 0
    await Promise.all(some.map(registerCounted))
    told.push(statements)
  }

  expect(told).toEqual([2, 2, 2, 2])
})

// spec: identity/register-parallel
test('when a device registers for several users at once, it belongs to the user of the last registration', async () => {
  const appId = newId()

  const answers = await Promise.all(
    many(9, (index) => register({ appId, subscription: phone('token', { externalId: `user-${index % 4}` }) })),
  )

  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  const [device, ...others] = await devicesOf(appId)
  expect(others).toEqual([])
  const owner = (await usersOf(appId)).find(({ id }) => id === device?.user_id)
  expect(owner?.external_id).toBe('user-0')
  expect(answers.at(-1)?.userId).toBe(owner?.id)
})

// spec: identity/register-parallel
test('several devices that register with one external id at once belong to one user, with the last one’s tags', async () => {
  const appId = newId()

  const answers = await Promise.all(
    many(12, (index) => register({ appId, subscription: phone(`token-${index}`, { externalId: 'ann', tags: { seat: index } }) })),
  )

  expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1)
  expect(await usersOf(appId)).toMatchObject([{ external_id: 'ann', tags: { seat: 11 } }])
  expect(await devicesOf(appId)).toHaveLength(12)
})

test('when a user’s devices register at once without an external id, the tags of all are added', async () => {
  const appId = newId()
  for (const token of ['one', 'two', 'three']) await register({ appId, subscription: phone(token, { externalId: 'ann' }) })

  await Promise.all(['one', 'two', 'three'].map((token) => register({ appId, subscription: phone(token, { tags: { [token]: true } }) })))

  expect(await usersOf(appId)).toMatchObject([{ tags: { one: true, two: true, three: true } }])
})

test('of 52 registrations at the same time, only those fail that cannot be written or exceed a limit', async () => {
  const appId = newId()
  const { userId } = await givenDevice(db, { appId, externalId: 'full' })
  await Promise.all(many(99, () => givenDevice(db, { appId, userId })))
  const hundredTags = Object.fromEntries(many(100, (index) => [`tag-${index}`, index]))
  await register({ appId, subscription: phone('tagged', { externalId: 'tagged', tags: hundredTags }) })

  const asked = [
    ...many(50, (index) => phone(index === 25 ? 'no text of Postgres: \u0000' : `token-${index}`, { externalId: `user-${index}` })),
    phone('one-more', { externalId: 'full' }),
    phone('tagged', { tags: { 'one-more': true } }),
  ]
  const settled = await Promise.allSettled(asked.map((subscription) => register({ appId, subscription })))

  const failed = settled.flatMap((one, index) => (one.status === 'rejected' ? [[index, one.reason as unknown] as const] : []))
  expect(failed.map(([index]) => index)).toEqual([25, 50, 51])
  expect(failed[1]?.[1]).toMatchObject({ code: 'limit_reached' })
  expect(failed[2]?.[1]).toMatchObject({ code: 'invalid_body', details: [{ path: 'tags' }] })
  const names = new Set((await usersOf(appId)).map(({ external_id }) => external_id))
  expect([...names].filter((name) => name?.startsWith('user-'))).toHaveLength(49)
})

test('a registration whose device or user another transaction has locked waits alone, and other devices register meanwhile', async () => {
  const appId = newId()
  const held = await register({ appId, subscription: phone('held') })
  await register({ appId, subscription: phone('of-ann', { externalId: 'ann' }) })
  const releaseDevice = await holdRow(sql`select from subscriptions where id = ${held.id} for update`)
  const releaseUser = await holdRow(sql`select from users where app_id = ${appId} and external_id = 'ann' for update`)
  const answered: string[] = []
  const asked = [
    phone('held', { appVersion: '2.0' }),
    phone('new-of-ann', { externalId: 'ann' }),
    ...many(20, (index) => phone(`token-${index}`, { externalId: `user-${index}` })),
  ].map(async (subscription) => {
    await register({ appId, subscription })
    answered.push(subscription.platform === 'ios' ? subscription.token : '')
  })

  await until(() => answered.length === 20)
  expect(answered).not.toContain('held')
  expect(answered).not.toContain('new-of-ann')
  await Promise.all([releaseDevice(), releaseUser()])
  await Promise.all(asked)

  expect(await usersOf(appId)).toHaveLength(22)
  expect((await devicesOf(appId)).find(({ id }) => id === held.id)).toMatchObject({ app_version: '2.0' })
})

test('while a registration waits for its locked device, it has not changed the user yet', async () => {
  const appId = newId()
  const { id: heldId } = await register({ appId, subscription: phone('held') })
  const ann = await register({ appId, subscription: phone('of-ann', { externalId: 'ann', tags: { seat: 1 } }) })
  const release = await holdRow(sql`select from subscriptions where id = ${heldId} for update`)

  const registered = register({ appId, subscription: phone('held', { externalId: 'ann', tags: { seat: 7, plan: 'pro' } }) })
  await until(isLockAwaited)
  const changed = await changeOwner({ db }, { appId, subscriptionId: ann.id, changes: { tags: { seat: 0 } } })
  await release()

  expect(changed.tags).toEqual({ seat: 0 })
  expect(await registered).toMatchObject({ id: heldId, userId: ann.userId })
  expect(await usersOf(appId)).toMatchObject([{ external_id: 'ann', tags: { seat: 7, plan: 'pro' } }])
})

test('a device that registers for a user whom another transaction has locked waits, and then belongs to that user', async () => {
  const appId = newId()
  const anonymous = await register({ appId, subscription: phone('token') })
  const ann = await register({ appId, subscription: phone('of-ann', { externalId: 'ann' }) })
  const release = await holdRow(sql`select from users where id = ${ann.userId} for no key update`)

  const registered = register({ appId, subscription: phone('token', { externalId: 'ann' }) })
  await Promise.race([registered, until(isLockAwaited)])
  await release()

  expect(await registered).toMatchObject({ id: anonymous.id, userId: ann.userId })
  expect(await usersOf(appId)).toMatchObject([{ external_id: 'ann' }])
})

test('when two processes register the same devices at once, each device and user is made once, none refused', async () => {
  const appId = newId()
  await Promise.all([startProcess(), startProcess()])

  for (let round = 0; round < 4; round += 1)
    await Promise.all(
      many(60, (index) => {
        const subscription = phone(`token-${index % 20}`, { externalId: `user-${(index * 7 + round) % 15}`, tags: { round } })
        return bus.call(calls.registerSubscription, { appId, subscription })
      }),
    )

  const [users, devices] = [await usersOf(appId), await devicesOf(appId)]
  expect(devices).toHaveLength(20)
  expect(new Set(users.map(({ external_id }) => external_id))).toEqual(new Set(many(15, (index) => `user-${index}`)))
  expect(users).toHaveLength(15)
  const known = new Set(users.map(({ id }) => id))
  expect(devices.every(({ user_id }) => known.has(user_id))).toBe(true)
})
