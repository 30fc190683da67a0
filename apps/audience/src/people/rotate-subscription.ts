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
 * A browser's endpoint changed (spec: identity/rotate): its row keeps id, owner and choice, and is reachable
 * again if the old endpoint was dead. Another row that has the new endpoint is removed (spec: identity/rotate-onto-another). Fault: `not_found`.
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
 * The devices at the old and the new endpoint, locked. While this waits for a lock, the device at the old endpoint may be
 * replaced by another that was rotated onto it; the statement that waited sees only that its own is gone. So "nobody has it"
 * is believed only from a statement that had nothing to wait for.
 */
async function lockBoth(db: Db, oldHash: Buffer, newHash: Buffer): Promise<LockedDevice[]> {
  for (;;) {
    const found = await lockDevices(db, [oldHash, newHash])
    if (found.some(({ addressHash }) => addressHash.equals(oldHash)) || !(await isAddressTaken(db, oldHash))) return found
  }
}
