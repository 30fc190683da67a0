import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'
import { takeAbandoned, removeAbandoned } from './store/abandoned-users.ts'

/** Users of one transaction, at most, so that their locks are held for milliseconds only. */
const portion = 500

/**
 * Removes identified users who have had no device for 30 days, have no tags and no attributes, and were never written to with a secret key; at most a
 * portion of them. A user who has a device again stays and is no candidate any more. Answers how many candidates it looked at. No other service is
 * told, because the others keep only the id of such a user.
 */
export const removeAbandonedUsers = ({ db }: { db: Db }): Promise<{ took: number }> =>
  transact(db, async (trx) => {
    const userIds = await takeAbandoned(trx, portion)
    if (userIds.length > 0) await removeAbandoned(trx, userIds)
    return { took: userIds.length }
  })
