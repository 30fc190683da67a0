import type { KeyKind } from '@herald/contracts/administration'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { UserChanges } from '@herald/contracts/subscription'
import type { Tags } from '@herald/contracts/text'
import type { User, UserAddress } from '@herald/contracts/user'
import { toPersonChanges } from './core/person.ts'
import { mergePerson } from './merge-person.ts'
import { lockSubscription } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { getUser, insertUser, lockUser, markByBackend, readTags } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Changes the person who has a device, for all of their devices (spec: identity/change-user). Faults: `not_found`, `invalid_body` at
 * `tags` (101st tag).
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
    await mergePerson(trx, known.userId, toPersonChanges(changes), 'device')
    if (keyKind !== 'public') await markByBackend(trx, known.userId)
    return { userId: known.userId, tags: await readTags(trx, known.userId) }
  })

/**
 * Changes a user as their backend knows them (spec: identity/change-makes-user). An unknown external id makes a user without devices: a
 * later login finds them. Faults: `not_found` (an unknown id), `invalid_body` at `tags` (101st tag).
 */
export const changeUser = (
  { db }: { db: Db },
  { appId, user, changes }: { appId: string; user: UserAddress; changes: UserChanges },
): Promise<User> =>
  transactIdentity(db, async (trx) => {
    const userId = (await lockUser(trx, appId, user)) ?? (await makeUser(trx, appId, user))
    await mergePerson(trx, userId, toPersonChanges(changes), 'backend')
    await markByBackend(trx, userId)
    return getUser(trx, appId, { userId })
  })

async function makeUser(db: Db, appId: string, user: UserAddress): Promise<string> {
  if (!('externalId' in user)) throw notFound()
  const id = newId()
  await insertUser(db, { id, appId, externalId: user.externalId })
  return id
}
