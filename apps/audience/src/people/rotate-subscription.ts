import { notFound } from '@herald/contracts/fault'
import type { RotateBody } from '@herald/contracts/subscription'
import { hashAddress } from './core/device.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { lockDevices, type LockedDevice } from './store/registrations.ts'
import { deleteSubscriptions, isAddressTaken, writeAddress, type NewAddress } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { lockUsers } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Gives a browser its new endpoint (spec: identity/rotate). The device keeps its id, its owner and its opt-out, and is valid again if it was
 * invalidated. Another device that has the new endpoint is deleted (spec: identity/rotate-onto-another). Fault: `not_found`.
 */
export const rotateSubscription = (
  { db }: { db: Db },
  { appId, rotation }: { appId: string; rotation: RotateBody },
): Promise<{ id: string }> =>
  transactIdentity(db, async (trx) => {
    const { endpoint: address, keys } = rotation.new
    const addressHash = hashAddress(appId, 'endpoint', address)
    const id = await moveDevice(trx, hashAddress(appId, 'endpoint', rotation.old), { addressHash, address, keys })
    if (id === undefined) throw notFound()
    return { id }
  })

/** Gives the keys of a rotation for the order of changes; a registration of either address has the same key. */
export const addressesOfRotation = ({ appId, rotation }: { appId: string; rotation: RotateBody }): string[] =>
  [rotation.old, rotation.new.endpoint].map((address) => hashAddress(appId, 'endpoint', address).toString('hex'))

/**
 * Gives the device that has an old address a new one, and deletes another device that has that. Answers its id; undefined when no device has the old
 * address. Knowing a device's address is proof of being the device.
 */
export async function moveDevice(trx: Db, oldHash: Buffer, to: NewAddress): Promise<string | undefined> {
  const found = await lockBoth(trx, oldHash, to.addressHash)
  const moved = found.find(({ addressHash }) => addressHash.equals(oldHash))
  if (!moved) return undefined
  const other = found.find(({ id }) => id !== moved.id)
  if (other) {
    await lockUsers(trx, { ids: [other.userId] })
    await deleteSubscriptions(trx, [other.id])
    await leaveUsers(trx, [{ userId: other.userId, subscriptionId: other.id }])
  }
  await writeAddress(trx, moved.id, to)
  return moved.id
}

/**
 * Locks the devices at the old and at the new address. When another device takes the old address meanwhile and none is found, a look without locks
 * makes it try again.
 */
async function lockBoth(db: Db, oldHash: Buffer, newHash: Buffer): Promise<LockedDevice[]> {
  for (;;) {
    const found = await lockDevices(db, [oldHash, newHash])
    if (found.some(({ addressHash }) => addressHash.equals(oldHash)) || !(await isAddressTaken(db, oldHash))) return found
  }
}
