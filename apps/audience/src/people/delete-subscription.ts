import { notFound } from '@herald/contracts/fault'
import { leaveUsers } from './store/abandoned-users.ts'
import { deleteSubscriptions, lockSubscription } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { lockUsers } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Deletes a device. It also deletes the owner if the owner is anonymous and has no other device (spec: identity/delete-device). Fault: `not_found`.
 */
export const deleteSubscription = (
  { db }: { db: Db },
  { appId, subscriptionId }: { appId: string; subscriptionId: string },
): Promise<Record<string, never>> =>
  transactIdentity(db, async (trx) => {
    const known = await lockSubscription(trx, { appId, id: subscriptionId })
    if (!known) throw notFound()
    await lockUsers(trx, { ids: [known.userId] })
    await deleteSubscriptions(trx, [subscriptionId])
    await leaveUsers(trx, [{ userId: known.userId, subscriptionId }])
    return {}
  })
