import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { toDevice } from '../core/device.ts'
import { toPersonChanges } from '../core/person.ts'
import { changeOwner } from '../change-user.ts'
import { loginSubscription } from '../login-subscription.ts'
import { registerSubscription } from '../register-subscription.ts'
import { rotateSubscription } from '../rotate-subscription.ts'
import { openAudience } from '../../testing/rig.ts'
import { findKnown, writeRegistrations, type Decided } from './registrations.ts'
import { keyOfPerson } from './users.ts'

const { db } = await openAudience()

const mostTags = 100
const browser = (name: string) => ({
  platform: 'web' as const,
  endpoint: `https://push.example/${name}`,
  keys: { p256dh: 'key', auth: 'auth' },
})

/** A known device of `ann`, and what was found for it, before somebody else changes something. */
async function givenFound() {
  const appId = newId()
  const registered = await registerSubscription({ db }, { appId, subscription: { ...browser('one'), externalId: 'ann' } })
  const device = toDevice(appId, browser('one'))
  const name = keyOfPerson({ appId, externalId: 'ann' })
  const [found] = await findKnown(db, [{ addressHash: device.addressHash, name, setsTags: 1 }], mostTags)
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
      isPersonNew: false,
    },
    changes: toPersonChanges({ tags: { seat: 1 } }),
  }
  return { appId, registered, decided, owner }
}

const tagsOf = async (id: string) => (await db.selectFrom('users').select('tags').where('id', '=', id).executeTakeFirstOrThrow()).tags

test('what is as it was found is written', async () => {
  const { decided, owner } = await givenFound()

  expect(await writeRegistrations(db, [decided], [owner])).toEqual(new Set([decided.deviceId]))

  expect(await tagsOf(owner.id)).toEqual({ seat: 1 })
})

type Given = Awaited<ReturnType<typeof givenFound>>
test.each<[string, (given: Given) => Promise<unknown>]>([
  [
    'a person whose tags have changed',
    ({ appId, registered }) =>
      changeOwner({ db }, { appId, subscriptionId: registered.id, changes: { tags: { plan: 'pro' } }, keyKind: 'public' }),
  ],
  [
    'a person to whom another device has come',
    async ({ appId }) => {
      const other = await registerSubscription({ db }, { appId, subscription: browser('other') })
      await loginSubscription({ db }, { appId, subscriptionId: other.id, externalId: 'ann', keyKind: 'public' })
    },
  ],
  [
    'a device that somebody else has logged in on',
    ({ appId, registered }) => loginSubscription({ db }, { appId, subscriptionId: registered.id, externalId: 'bob', keyKind: 'public' }),
  ],
  [
    'a device that has another address now',
    ({ appId }) =>
      rotateSubscription(
        { db },
        { appId, rotation: { old: browser('one').endpoint, new: { endpoint: browser('two').endpoint, keys: browser('two').keys } } },
      ),
  ],
  ['a device that is gone', ({ registered }) => db.deleteFrom('subscriptions').where('id', '=', registered.id).execute()],
])('%s since it was found is not written, nor is its person', async (_, change) => {
  const given = await givenFound()
  await change(given)

  expect(await writeRegistrations(db, [given.decided], [given.owner])).toEqual(new Set())

  expect(await tagsOf(given.owner.id)).not.toHaveProperty('seat')
})

test('a new device whose address somebody has got since leaves no user behind', async () => {
  const appId = newId()
  const device = toDevice(appId, browser('new'))
  await registerSubscription({ db }, { appId, subscription: browser('new') })

  const written = await writeRegistrations(
    db,
    [
      {
        ...{ appId, device, externalId: 'cem', byBackend: false, deviceId: newId(), ownerId: null, userId: newId(), isPersonNew: true },
        changes: toPersonChanges({}),
      },
    ],
    [],
  )

  expect(written).toEqual(new Set())
  const users = await db.selectFrom('users').select('external_id').where('app_id', '=', appId).execute()
  expect(users).toEqual([{ external_id: null }])
})

test('a new device whose new user has been made by somebody else since is an error, and nothing is written', async () => {
  const appId = newId()
  const device = toDevice(appId, browser('new'))
  await registerSubscription({ db }, { appId, subscription: { ...browser('other'), externalId: 'cem' } })

  const written = writeRegistrations(
    db,
    [
      {
        ...{ appId, device, externalId: 'cem', byBackend: false, deviceId: newId(), ownerId: null, userId: newId(), isPersonNew: true },
        changes: toPersonChanges({}),
      },
    ],
    [],
  )

  await expect(written).rejects.toMatchObject({ code: '23503' })
  const { rows } = await sql`select from subscriptions where app_id = ${appId} and address = ${browser('new').endpoint}`.execute(db)
  expect(rows).toEqual([])
})
