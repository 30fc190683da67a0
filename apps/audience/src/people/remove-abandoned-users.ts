import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'
import { takeAbandoned, removeAbandoned } from './store/abandoned-users.ts'

/** One transaction removes at most this many users, so that it holds their locks only for milliseconds. */
const portion = 500

/**
 * Removes up to 500 identified users who had no device for 30 days and are still bare (`isBare`), and answers how many candidates it looked at. Other
 * services keep only such a user's id, so none is told.
 */
export const removeAbandonedUsers = ({ db }: { db: Db }): Promise<{ took: number }> =>
  transact(db, async (trx) => {
    const userIds = await takeAbandoned(trx, portion)
    if (userIds.length > 0) await removeAbandoned(trx, userIds)
    return { took: userIds.length }
  })
