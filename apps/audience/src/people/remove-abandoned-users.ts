import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'
import { takeAbandoned, removeAbandoned } from './store/abandoned-users.ts'

/** One transaction removes at most this many users, so that it holds their locks only for milliseconds. */
const portion = 500

/**
 * Removes up to 500 identified users who have had no device for 30 days, have no tags, language, timezone or country, and were never changed with a
 * secret key or by an import. A candidate for whom that is not true any more stays a user and is no candidate any more. Answers how many candidates
 * it looked at. It tells no other service of the removal, because other services keep only the id of such a user.
 */
export const removeAbandonedUsers = ({ db }: { db: Db }): Promise<{ took: number }> =>
  transact(db, async (trx) => {
    const userIds = await takeAbandoned(trx, portion)
    if (userIds.length > 0) await removeAbandoned(trx, userIds)
    return { took: userIds.length }
  })
