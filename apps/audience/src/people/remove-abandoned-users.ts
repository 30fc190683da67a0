import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'
import { takeAbandoned, removeAbandoned } from './store/abandoned-users.ts'

/** Users per transaction: their locks are held for milliseconds. */
const portion = 500

/**
 * Removes identified users who have been without devices for 30 days, hold nothing and were never written to with a secret key, at most a
 * portion. Who has come back meanwhile stays, and is no candidate any more. Answers how many candidates it looked at. Nothing else is told:
 * what others keep of such a user is an id.
 */
export const removeAbandonedUsers = ({ db }: { db: Db }): Promise<{ took: number }> =>
  transact(db, async (trx) => {
    const userIds = await takeAbandoned(trx, portion)
    if (userIds.length > 0) await removeAbandoned(trx, userIds)
    return { took: userIds.length }
  })
