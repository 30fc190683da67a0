import { notFound } from '@herald/contracts/fault'
import type { RotateBody } from '@herald/contracts/subscription'
import { hashAddress } from './core/device.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { lockDevices, type LockedDevice } from './store/registrations.ts'
import { deleteSubscriptions, isAddressTaken, moveEndpoint } from './store/subscriptions.ts'
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
    const [oldHash, newHash] = [hashAddress(appId, 'endpoint', rotation.old), hashAddress(appId, 'endpoint', rotation.new.endpoint)]
    const found = await lockBoth(trx, oldHash, newHash)
    const rotated = found.find(({ addressHash }) => addressHash.equals(oldHash))
    if (!rotated) throw notFound()

    const other = found.find(({ id }) => id !== rotated.id)
    if (other) {
      await lockUsers(trx, { ids: [other.userId] })
      await deleteSubscriptions(trx, [other.id])
      await leaveUsers(trx, [{ userId: other.userId, subscriptionId: other.id }])
    }
    await moveEndpoint(trx, rotated.id, { addressHash: newHash, ...rotation.new })
    return { id: rotated.id }
  })

/**
 * Locks the devices at the old and at the new endpoint. While the statement waits for a lock, another device may be rotated onto the old endpoint,
 * which deletes the device there. The statement then finds no device, although one has the old endpoint now. So a second statement, which waits for no
 * lock, looks whether a device has the old endpoint; if one has, the function tries again.
 */
async function lockBoth(db: Db, oldHash: Buffer, newHash: Buffer): Promise<LockedDevice[]> {
  for (;;) {
    const found = await lockDevices(db, [oldHash, newHash])
    if (found.some(({ addressHash }) => addressHash.equals(oldHash)) || !(await isAddressTaken(db, oldHash))) return found
  }
}
