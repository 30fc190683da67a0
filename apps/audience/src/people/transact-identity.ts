import { queueUnavailable } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'

const attempts = 5

/**
 * A transaction that changes whose devices are whose. All of them lock devices first, in the order of ids, then users, in the
 * order of ids, so they cannot lock each other out. What a lock cannot hold is a row that does not exist yet: two that make the
 * same device or user meet at a unique index, and the second looks again and sees the first's rows.
 */
export const transactIdentity = <T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> => retryIdentity(() => transact(db, work))

/** Does work again that has met somebody else's at a unique index, five times in all; then Fault `queue_unavailable`. */
export async function retryIdentity<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!metAnother(error)) throw error
      // Not the error itself: its detail names the external id.
      if (attempt >= attempts) throw queueUnavailable()
    }
  }
}

/** 23505: another has just made this device or user. 23503: the owner was removed in between. 40P01: a deadlock all the same. */
const metAnother = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '23503' || error.code === '40P01')
