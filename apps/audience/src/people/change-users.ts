import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { UserInBatch, UserInBatchAnswer } from '@herald/contracts/user-batch'
import { planUsersInBatch } from './core/users-in-batch.ts'
import type { Db } from '../store/tables.ts'
import { lockUsers } from './store/users.ts'
import { readLocked, writeUsersOfBatch } from './store/users-in-batch.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Changes users as their backend knows them, all in one transaction (POST /v1/users/batch); answers what became of each, in order. They are locked
 * in the order of their ids, as everywhere. A repeat changes nothing. Fault: `not_found` (the app was erased).
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
