import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { leaveUsers } from './store/abandoned-users.ts'
import { giveSubscription, lockSubscription } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { copyUser, lockUsers } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Gives a device to a new anonymous user (spec: identity/logout): no tags, but language, timezone and country are copied, they
 * are the device's as much as the person's. An anonymous owner that is left goes. Fault: `not_found`.
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
