import type { KeyKind } from '@herald/contracts/administration'
import { notFound } from '@herald/contracts/fault'
import { toPersonChanges } from './core/person.ts'
import { mergePerson } from './merge-person.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { giveSubscription, lockSubscription } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { markByBackend } from './store/users.ts'
import { takeOwner } from './take-owner.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Makes a device the person's with an external id, by the identity rules (spec: identity/login-renames, identity/login-joins, identity/login-moves). Faults:
 * `not_found`, `limit_reached` (101st device of a user).
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
    await mergePerson(trx, userId, toPersonChanges({}), 'device')
    await giveSubscription(trx, subscriptionId, userId)
    if (keyKind !== 'public') await markByBackend(trx, userId)
    if (leaves !== null) await leaveUsers(trx, [{ userId: leaves, subscriptionId }])
    return { userId, externalId }
  })
