import { fault, invalidField, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { transact } from '@herald/service/postgres'
import { toDevice, type Device } from './core/device.ts'
import { decideOwnership, maxDevicesPerUser, maxTagsPerUser, type Ownership } from './core/identity.ts'
import { toPersonChanges, type PersonChanges } from './core/person.ts'
import {
  countDevices,
  insertSubscription,
  lockSubscription,
  refreshSubscription,
  updateSubscription,
  type Registered,
} from './store/subscriptions.ts'
import type { Db } from './store/tables.ts'
import { insertUser, lockUsers, mergeUser, nameUser, removeUserWithoutDevices } from './store/users.ts'

type Registration = { appId: string; device: Device; externalId: string | null; changes: PersonChanges }

/**
 * Registers a device or finds it again (api.md, POST /v1/subscriptions), by the identity rules of decisions.md 6. Called on
 * every app start, so what changes nothing is one statement. Faults: `limit_reached` (101st device of a user), `invalid_body`
 * at `tags` (101st tag).
 */
export async function registerSubscription(
  { db }: { db: Db },
  { appId, subscription }: { appId: string; subscription: RegisterSubscription },
): Promise<Registered> {
  const registration: Registration = {
    appId,
    device: toDevice(subscription),
    externalId: subscription.externalId ?? null,
    changes: toPersonChanges(subscription),
  }
  return (await refreshSubscription(db, registration)) ?? (await registerAnew(db, registration))
}

/** Two registrations of one device, or two first devices of one user, meet at a unique index: the second sees the first's rows. */
async function registerAnew(db: Db, registration: Registration): Promise<Registered> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(db, (trx) => register(trx, registration))
    } catch (error) {
      if (!metAnother(error)) throw error
      // Not the error itself: its detail names the external id.
      if (attempt >= 5) throw queueUnavailable()
    }
  }
}

async function register(db: Db, { appId, device, externalId, changes }: Registration): Promise<Registered> {
  const known = await lockSubscription(db, appId, device.addressHash)
  const people = known || externalId !== null ? await lockUsers(db, { appId, ownerId: known?.userId ?? null, externalId }) : []
  const owner = people.find(({ id }) => id === known?.userId) ?? null
  const holder = people.find((person) => externalId !== null && person.externalId === externalId) ?? null

  const ownership = decideOwnership(owner, externalId, holder)
  const userId = await takeOwner(db, appId, ownership)
  if ((await mergeUser(db, userId, changes)) > maxTagsPerUser) {
    throw invalidField('tags', `would leave the user with more than ${maxTagsPerUser} tags`)
  }

  const id = known?.id ?? newId()
  if (known) await updateSubscription(db, { id, userId, device })
  else await insertSubscription(db, { id, appId, userId, device })
  if (ownership.kind === 'join' && ownership.leaves !== null) await removeUserWithoutDevices(db, ownership.leaves)
  return { id, platform: device.platform, userId }
}

/** Makes the decided owner ready to have the device and answers who that is. The row of a user who is joined is locked. */
async function takeOwner(db: Db, appId: string, ownership: Ownership): Promise<string> {
  switch (ownership.kind) {
    case 'stay':
      return ownership.userId
    case 'rename':
      await nameUser(db, ownership.userId, ownership.externalId)
      return ownership.userId
    case 'join':
      if ((await countDevices(db, ownership.userId)) >= maxDevicesPerUser) {
        throw fault('limit_reached', `A user has at most ${maxDevicesPerUser} devices. Remove one that is not used any more.`)
      }
      return ownership.userId
    case 'create': {
      const id = newId()
      await insertUser(db, { id, appId, externalId: ownership.externalId })
      return id
    }
  }
}

/** 23505: another has just made this device or user. 23503: the owner was removed in between. Both: look again. */
const metAnother = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '23503')
