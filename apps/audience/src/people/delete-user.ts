import { eraseTrackerOfUser } from '@herald/contracts/calls/tracker'
import { eraseUser } from '@herald/contracts/calls/webhooks'
import { notFound, queueUnavailable } from '@herald/contracts/fault'
import type { UserAddress } from '@herald/contracts/user'
import type { Audience } from '../audience.ts'
import { isAway } from '../sends/page-failure.ts'
import { removeClaims } from '../sends/store/claims.ts'
import { deleteErasures, insertErasure, takeDueErasures } from './store/erasures.ts'
import { countDevices, deleteSubscriptions, lockSubscriptionsOf } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { findUserId, lockForRemoval, removeUser } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

const attempts = 10

/**
 * Erases a user with all devices, and stores that tracker and webhooks must be told (spec: identity/erase-user). Batches and events stay: they hold
 * only ids.
 * Faults: `not_found`, `queue_unavailable` (another device came during each of 10 attempts).
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

/** Deletes a user. Gives false and deletes nothing when the user got another device before this transaction had locked the user. */
async function erase(db: Db, appId: string, user: UserAddress): Promise<boolean> {
  const userId = await findUserId(db, appId, user)
  if (userId === undefined) throw notFound()
  const subscriptionIds = await lockSubscriptionsOf(db, userId)
  // From here on no other transaction can give the user a device, because that needs a shared lock on the user's row.
  if (!(await lockForRemoval(db, userId))) throw notFound()
  if ((await countDevices(db, userId)) > subscriptionIds.length) return false

  await deleteSubscriptions(db, subscriptionIds)
  await removeUser(db, userId)
  await removeClaims(db, { appId, userId, subscriptionIds })
  await insertErasure(db, { appId, userId })
  return true
}

const atOnce = 50
/** From this try on, after two minutes, a failure is logged as a warning even when tracker or webhooks is only away. */
const patience = 10

/**
 * Tells tracker and webhooks which users were erased: webhooks keeps deliveries with external ids, the tracker conversions. The sweep calls it again
 * for a user until both have answered.
 */
export async function tellErasures({ db, bus, log }: Audience): Promise<{ took: number }> {
  const due = await takeDueErasures(db, atOnce)
  const tell = async ({ appId, userId, tries }: (typeof due)[number]): Promise<string[]> => {
    try {
      await Promise.all([bus.call(eraseUser, { appId, userId }), bus.call(eraseTrackerOfUser, { appId, userId })])
      return [userId]
    } catch (error) {
      // The sweep tells both of this user again later. The failure does not stop the calls about the other users.
      log[isAway(error) && tries < patience ? 'debug' : 'warn'](
        { userId, tries, err: error },
        'tracker and webhooks could not both be told of an erased user yet',
      )
      return []
    }
  }
  const told = (await Promise.all(due.map(tell))).flat()
  if (told.length > 0) await deleteErasures(db, told)
  return { took: due.length }
}
