import { notFound, queueUnavailable } from '@herald/contracts/fault'
import type { UserAddress } from '@herald/contracts/user'
import { removeClaims } from '../sends/store/claims.ts'
import { insertErasure } from './store/erasures.ts'
import { countDevices, deleteSubscriptions, lockSubscriptionsOf } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { findUserId, lockForRemoval, removeUser } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

const attempts = 10

/**
 * The erasure path (spec: identity/erase-user): the user and all devices go in one transaction, and with it is written down that
 * webhooks is to be told until it has answered. What stays names ids only: batches of a send under way, and events.
 * Fault: `not_found`.
 */
export async function deleteUser(
  { db, poke }: { db: Db; poke: () => void },
  { appId, user }: { appId: string; user: UserAddress },
): Promise<Record<string, never>> {
  for (let attempt = 1; !(await transactIdentity(db, (trx) => erase(trx, appId, user))); attempt += 1) {
    if (attempt >= attempts) throw queueUnavailable()
  }
  poke()
  return {}
}

/** False: a device came to the user while the others were being locked; nothing was done then. */
async function erase(db: Db, appId: string, user: UserAddress): Promise<boolean> {
  const userId = await findUserId(db, appId, user)
  if (userId === undefined) throw notFound()
  const subscriptionIds = await lockSubscriptionsOf(db, userId)
  // From here on no device comes to the user any more: that takes a share of this lock.
  if (!(await lockForRemoval(db, userId))) throw notFound()
  if ((await countDevices(db, userId)) > subscriptionIds.length) return false

  await deleteSubscriptions(db, subscriptionIds)
  await removeUser(db, userId)
  await removeClaims(db, { appId, userId, subscriptionIds })
  await insertErasure(db, { appId, userId })
  return true
}
