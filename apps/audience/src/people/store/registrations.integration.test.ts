import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { toDevice } from '../core/device.ts'
import { toUserUpdate } from '../core/identity.ts'
import { changeOwner } from '../change-users.ts'
import { loginSubscription } from '../login-logout.ts'
import { registerSubscription } from '../register-subscription.ts'
import { rotateSubscription } from '../rotate-subscription.ts'
import { openAudience } from '../../testing/rig.ts'
import { findKnown, writeRegistrations, type Decided } from './registrations.ts'
import { userKeyOf } from './users.ts'

const { db } = await openAudience()

const browser = (name: string) => ({
  platform: 'web' as const,
  endpoint: `https://push.example/${name}`,
  keys: { p256dh: 'key', auth: 'auth' },
})

/** Makes a device of the user `ann`, and reads the rows for another registration of this device, which the test writes later. */
async function givenFound() {
  const appId = newId()
  const registered = await registerSubscription({ db }, { appId, subscription: { ...browser('one'), externalId: 'ann' } })
  const device = toDevice(appId, browser('one'))
  const name = userKeyOf({ appId, externalId: 'ann' })
  const [found] = await findKnown(db, [{ addressHash: device.addressHash, name, setsTags: 1, setsBytes: 10 }])
  if (!found?.device) throw new Error('the device is known')
  const { owner } = found.device
  const decided: Decided = {
    ...{
      appId,
      device,
      externalId: null,
      byBackend: false,
      deviceId: found.device.id,
      ownerId: owner.id,
      userId: owner.id,
      isUserNew: false,
    },
    changes: toUserUpdate({ tags: { seat: 1 } }),
  }
  return { appId, registered, decided, owner }
}

const tagsOf = async (id: string) => (await db.selectFrom('users').select('tags').where('id', '=', id).executeTakeFirstOrThrow()).tags

test('a registration is written when the rows that it depends on have not changed since it read them', async () => {
  const { decided, owner } = await givenFound()

  expect(await writeRegistrations(db, [decided], [owner])).toEqual(new Set([decided.deviceId]))

  expect(await tagsOf(owner.id)).toEqual({ seat: 1 })
})

type Given = Awaited<ReturnType<typeof givenFound>>
test.each<[string, (given: Given) => Promise<unknown>]>([
  [
    'the user’s tags have changed',
    ({ appId, registered }) =>
      changeOwner({ db }, { appId, subscriptionId: registered.id, changes: { tags: { plan: 'pro' } }, keyKind: 'public' }),
  ],
  [
    'the user has got another device',
    async ({ appId }) => {
      const other = await registerSubscription({ db }, { appId, subscription: browser('other') })
      await loginSubscription({ db }, { appId, subscriptionId: other.id, externalId: 'ann', keyKind: 'public' })
    },
  ],
  [
    'another user has logged in on the device',
    ({ appId, registered }) => loginSubscription({ db }, { appId, subscriptionId: registered.id, externalId: 'bob', keyKind: 'public' }),
  ],
  [
    'the device has got another address',
    ({ appId }) =>
      rotateSubscription(
        { db },
        { appId, rotation: { old: browser('one').endpoint, new: { endpoint: browser('two').endpoint, keys: browser('two').keys } } },
      ),
  ],
  ['the device was deleted', ({ registered }) => db.deleteFrom('subscriptions').where('id', '=', registered.id).execute()],
])('if %s after a registration read the rows, it writes neither the device nor the user', async (_, change) => {
  const given = await givenFound()
  await change(given)
  const device = () => db.selectFrom('subscriptions').selectAll().where('id', '=', given.registered.id).executeTakeFirst()
  const before = await device()

  expect(await writeRegistrations(db, [given.decided], [given.owner])).toEqual(new Set())

  expect(await device()).toEqual(before)
  expect(await tagsOf(given.owner.id)).not.toHaveProperty('seat')
})

test('when another registration has just made the same address, a registration makes neither device nor user', async () => {
  const appId = newId()
  const device = toDevice(appId, browser('new'))
  await registerSubscription({ db }, { appId, subscription: browser('new') })

  const written = await writeRegistrations(
    db,
    [
      {
        ...{ appId, device, externalId: 'cem', byBackend: false, deviceId: newId(), ownerId: null, userId: newId(), isUserNew: true },
        changes: toUserUpdate({}),
      },
    ],
    [],
  )

  expect(written).toEqual(new Set())
  const users = await db.selectFrom('users').select('external_id').where('app_id', '=', appId).execute()
  expect(users).toEqual([{ external_id: null }])
})

test('a new device’s statement fails and writes nothing when another registration has just made its external id', async () => {
  const appId = newId()
  const device = toDevice(appId, browser('new'))
  await registerSubscription({ db }, { appId, subscription: { ...browser('other'), externalId: 'cem' } })

  const written = writeRegistrations(
    db,
    [
      {
        ...{ appId, device, externalId: 'cem', byBackend: false, deviceId: newId(), ownerId: null, userId: newId(), isUserNew: true },
        changes: toUserUpdate({}),
      },
    ],
    [],
  )

  // The caller repeats a registration that fails with this code (transact-identity.ts).
  await expect(written).rejects.toMatchObject({ code: '23503' })
  const { rows } = await sql`select from subscriptions where app_id = ${appId} and address = ${browser('new').endpoint}`.execute(db)
  expect(rows).toEqual([])
})
