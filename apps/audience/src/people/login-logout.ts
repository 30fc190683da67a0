import type { KeyKind } from '@herald/contracts/administration'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { decideOwnership, maxDevicesPerUser, tooManyDevices, toUserUpdate, type Ownership } from './core/identity.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { countDevices, giveSubscription, lockSubscription } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { copyUser, insertUser, lockUsers, markByBackend, mergeUser, nameUser } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Gives a device to the user who has an external id, by the identity rules (spec: identity/login-renames, identity/login-joins,
 * identity/login-moves). Faults: `not_found`, `limit_reached` (101st device of a user).
 */
export const loginSubscription = (
  { db }: { db: Db },
  {
    appId,
    subscriptionId,
    externalId,
    keyKind,
  }: { appId: string; subscriptionId: string; externalId: string; keyKind?: KeyKind | undefined },
): Promise<{ userId: string; externalId: string }> =>
  transactIdentity(db, async (trx) => {
    const known = await lockSubscription(trx, { appId, id: subscriptionId })
    if (!known) throw notFound()
    const { userId, leaves } = await takeOwner(trx, { appId, ownerId: known.userId, externalId })
    await mergeUser(trx, userId, toUserUpdate({}), 'device')
    await giveSubscription(trx, subscriptionId, userId)
    if (keyKind !== 'public') await markByBackend(trx, userId)
    if (leaves !== null) await leaveUsers(trx, [{ userId: leaves, subscriptionId }])
    return { userId, externalId }
  })

/**
 * Decides by the identity rules which user gets a device, which the caller has locked, and makes or names that user if needed. `leaves`: the owner
 * whom the device leaves, or null. Fault: `limit_reached` (101st device of a user).
 */
async function takeOwner(
  db: Db,
  { appId, ownerId, externalId }: { appId: string; ownerId: string; externalId: string },
): Promise<{ userId: string; leaves: string | null }> {
  const users = await lockUsers(db, { ids: [ownerId], names: [{ appId, externalId }] })
  const owner = users.find(({ id }) => id === ownerId) ?? null
  const named = users.find((user) => user.externalId === externalId) ?? null
  const ownership = decideOwnership(owner, externalId, named)
  const userId = await makeReady(db, appId, ownership)
  return { userId, leaves: ownerId === userId ? null : ownerId }
}

async function makeReady(db: Db, appId: string, ownership: Ownership): Promise<string> {
  switch (ownership.kind) {
    case 'stay':
      return ownership.userId
    case 'rename':
      await nameUser(db, ownership.userId, ownership.externalId)
      return ownership.userId
    case 'join':
      if ((await countDevices(db, ownership.userId)) >= maxDevicesPerUser) throw tooManyDevices()
      return ownership.userId
    case 'create': {
      const id = newId()
      await insertUser(db, { id, appId, externalId: ownership.externalId })
      return id
    }
  }
}

/**
 * Gives a device to a new anonymous user without tags, with language, timezone and country of the former owner (spec: identity/logout). An anonymous
 * former owner without another device is deleted. Fault: `not_found`.
 */
export const logoutSubscription = (
  { db }: { db: Db },
  { appId, subscriptionId }: { appId: string; subscriptionId: string },
): Promise<{ userId: string }> =>
  transactIdentity(db, async (trx) => {
    const known = await lockSubscription(trx, { appId, id: subscriptionId })
    if (!known) throw notFound()
    await lockUsers(trx, { ids: [known.userId] })
    const userId = newId()
    await copyUser(trx, known.userId, userId)
    await giveSubscription(trx, subscriptionId, userId)
    await leaveUsers(trx, [{ userId: known.userId, subscriptionId }])
    return { userId }
  })
