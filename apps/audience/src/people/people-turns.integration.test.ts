import * as calls from '@herald/contracts/calls/audience'
import type { Call } from '@herald/contracts/call'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { givenDevice, givenWebKeys, openAudience } from '../testing/rig.ts'

const { db, bus, startProcess } = await openAudience()
await startProcess()

type Named = { appId: string; id: string; userId: string; externalId: string }
const given = async (): Promise<Named> => {
  const [appId, externalId] = [newId(), 'ann']
  return { appId, externalId, ...(await givenDevice(db, { appId, externalId, platform: 'web' })) }
}

const ask =
  <Request>(call: Call<Request, unknown>, of: (named: Named) => Request) =>
  (named: Named): Promise<unknown> =>
    bus.call(call, of(named))
const device = ({ appId, id }: Named) => ({ appId, subscriptionId: id })
const changes = { tags: { seat: 1 } }
const kinds: [string, (named: Named) => Promise<unknown>][] = [
  ['patchSubscription', ask(calls.patchSubscription, (of) => ({ ...device(of), changes: { optedIn: true } }))],
  ['startSession', ask(calls.startSession, (of) => ({ ...device(of), session: {} }))],
  ['loginSubscription', ask(calls.loginSubscription, (of) => ({ ...device(of), externalId: of.externalId }))],
  ['logoutSubscription', ask(calls.logoutSubscription, device)],
  ['changeOwner', ask(calls.changeOwner, (of) => ({ ...device(of), changes }))],
  ['markTestDevice', ask(calls.markTestDevice, (of) => ({ ...device(of), test: true }))],
  ['deleteSubscription', ask(calls.deleteSubscription, device)],
  ['changeUser by id', ask(calls.changeUser, ({ appId, userId }) => ({ appId, user: { userId }, changes }))],
  ['changeUser by external id', ask(calls.changeUser, ({ appId, externalId }) => ({ appId, user: { externalId }, changes }))],
  ['changeUsers', ask(calls.changeUsers, ({ appId, userId }) => ({ appId, users: [{ userId, ...changes }] }))],
  ['deleteUser', ask(calls.deleteUser, ({ appId, userId }) => ({ appId, user: { userId } }))],
  [
    'rotateSubscription',
    ask(calls.rotateSubscription, ({ appId, id }) => ({
      appId,
      rotation: {
        old: `https://push.example/address-of-${id}`,
        new: { endpoint: `https://push.example/address-of-${id}`, keys: givenWebKeys() },
      },
    })),
  ],
]

/** Locks a device and its owner in a transaction of its own, as another process would. Gives a function that ends the transaction. */
async function holdRows({ id, userId }: Named): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (trx) => {
    await sql`select from subscriptions where id = ${id} for update`.execute(trx)
    await sql`select from users where id = ${userId} for update`.execute(trx)
    isLocked()
    await released
  })
  await Promise.race([locked, holding])
  return () => {
    release()
    return holding
  }
}

/** Counts the connections whose statement waits for a row that another transaction has locked. */
async function countWaiting(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}

// spec: identity/changes-in-order
test.each(kinds)(
  'fifty calls of %s about one device or user keep one connection, and another app is answered meanwhile',
  async (_, call) => {
    const [named, other] = [await given(), await given()]
    const release = await holdRows(named)
    const asked = Array.from({ length: 50 }, () => call(named))
    const settled = Promise.allSettled(asked)
    try {
      await until(async () => (await countWaiting()) > 0)
      await call(other)
      expect(await countWaiting()).toBe(1)
    } finally {
      await release()
    }

    const answers = await settled
    expect(answers[0]?.status).toBe('fulfilled')
    const unavailable = answers.filter((one) => one.status === 'rejected' && one.reason.code !== 'not_found')
    expect(unavailable).toEqual([])
  },
)

// spec: identity/changes-in-order
test('calls about one user through many devices keep at most three connections, and another app is answered meanwhile', async () => {
  const [named, other] = [await given(), await given()]
  const devices = await Promise.all(Array.from({ length: 40 }, () => givenDevice(db, { appId: named.appId, userId: named.userId })))
  const release = await holdRows(named)
  const asked = devices.map(({ id }) => bus.call(calls.changeOwner, { appId: named.appId, subscriptionId: id, changes }))
  const settled = Promise.allSettled(asked)
  try {
    await until(async () => (await countWaiting()) > 0)
    for (const [, call] of kinds.slice(0, 4)) await call(other)
    expect(await countWaiting()).toBeLessThanOrEqual(3)
  } finally {
    await release()
  }
  expect((await settled).filter(({ status }) => status === 'rejected')).toEqual([])
})

// spec: identity/changes-in-order
test.each(kinds)('%s answers queue_unavailable when another process keeps a row locked for 2 s', async (_, call) => {
  const named = await given()
  const release = await holdRows(named)
  const startedAt = performance.now()
  try {
    await expect(call(named)).rejects.toMatchObject({ code: 'queue_unavailable' })
    expect(performance.now() - startedAt).toBeLessThan(2_900)
    expect(await countWaiting()).toBe(0)
  } finally {
    await release()
  }
})

// spec: identity/changes-in-order
test('changes of one device are made in the order in which they came', async () => {
  const named = await given()
  await Promise.all(
    Array.from({ length: 30 }, (_, seat) =>
      bus.call(calls.changeOwner, { appId: named.appId, subscriptionId: named.id, changes: { tags: { seat } } }),
    ),
  )
  expect(await bus.call(calls.readUser, { appId: named.appId, user: { userId: named.userId } })).toMatchObject({ tags: { seat: 29 } })
})
