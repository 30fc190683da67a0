import type { KeyKind } from '@herald/contracts/administration'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { UserChanges } from '@herald/contracts/subscription'
import type { Tags } from '@herald/contracts/text'
import type { User, UserAddress } from '@herald/contracts/user'
import type { UserInBatch, UserInBatchAnswer } from '@herald/contracts/user-batch'
import { toUserUpdate } from './core/identity.ts'
import { planUsersInBatch } from './core/users-in-batch.ts'
import { lockSubscription } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { getUser, insertUser, lockUser, lockUsers, markByBackend, mergeUser, readTags } from './store/users.ts'
import { readLocked, writeUsersOfBatch } from './store/users-in-batch.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Changes the user who owns a device; the change holds for all devices of the user (spec: identity/change-user). Faults: `not_found`, `invalid_body`
 * at `tags` (101st tag).
 */
export const changeOwner = (
  { db }: { db: Db },
  {
    appId,
    subscriptionId,
    changes,
    keyKind,
  }: { appId: string; subscriptionId: string; changes: UserChanges; keyKind?: KeyKind | undefined },
): Promise<{ userId: string; tags: Tags }> =>
  transactIdentity(db, async (trx) => {
    const known = await lockSubscription(trx, { appId, id: subscriptionId })
    if (!known) throw notFound()
    await mergeUser(trx, known.userId, toUserUpdate(changes), 'device')
    if (keyKind !== 'public') await markByBackend(trx, known.userId)
    return { userId: known.userId, tags: await readTags(trx, known.userId) }
  })

/**
 * Changes a user for the app's backend; an unknown external id makes a user without devices (spec: identity/change-makes-user). Faults: `not_found`
 * (an unknown user id, or the app was erased), `invalid_body` at `tags` (101st tag).
 */
export const changeUser = (
  { db }: { db: Db },
  { appId, user, changes }: { appId: string; user: UserAddress; changes: UserChanges },
): Promise<User> =>
  transactIdentity(db, async (trx) => {
    const userId = (await lockUser(trx, appId, user)) ?? (await makeUser(trx, appId, user))
    await mergeUser(trx, userId, toUserUpdate(changes), 'backend')
    await markByBackend(trx, userId)
    return getUser(trx, appId, { userId })
  })

/** Makes a user without devices for an unknown external id. Fault: `not_found` for an unknown user id. */
export async function makeUser(db: Db, appId: string, user: UserAddress): Promise<string> {
  if (!('externalId' in user)) throw notFound()
  const id = newId()
  await insertUser(db, { id, appId, externalId: user.externalId })
  return id
}

/**
 * Changes up to 500 users in one transaction (POST /v1/users/batch), and answers for each item in the order given. It locks users in the order of
 * their ids. Sent again, it changes nothing. Fault: `not_found` (the app was erased).
 */
export const changeUsers = (
  { db }: { db: Db },
  { appId, users: items }: { appId: string; users: UserInBatch[] },
): Promise<UserInBatchAnswer[]> =>
  transactIdentity(db, async (trx) => {
    const ids = items.flatMap(({ userId }) => userId ?? [])
    const names = items.flatMap(({ externalId }) => (externalId === undefined ? [] : [{ appId, externalId }]))
    const locked = await lockUsers(trx, { ids, names })
    const known = await readLocked(
      trx,
      appId,
      locked.map(({ id }) => id),
    )

    const { answers, users } = planUsersInBatch(known, items, newId)
    const made = users.length === 0 ? 0 : await writeUsersOfBatch(trx, appId, users)
    if (made < users.filter(({ isNew }) => isNew).length) throw notFound()
    return answers
  })
