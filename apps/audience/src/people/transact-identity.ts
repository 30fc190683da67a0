import { setTimeout as sleep } from 'node:timers/promises'
import { queueUnavailable } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'

/**
 * A transaction is tried at most this many times. Five tries were too few: a transaction that imports 500 devices can collide, one after another,
 * with registrations of all of them.
 */
export const identityAttempts = 20
const longestPauseMs = 100

/**
 * Runs a transaction that changes users or devices, again when a unique index refused a row that another one made meanwhile. Each locks devices
 * before users, both in the order of their ids: otherwise they deadlock.
 */
export const transactIdentity = <T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> => retryIdentity(() => transact(db, work))

/**
 * Runs `work`, again when it collides with another transaction. The pauses are random and grow to 100 ms, so that an import of 500 devices does not
 * collide each time. Fault: `queue_unavailable` after 20 attempts, about a second.
 */
export async function retryIdentity<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!hasCollided(error)) throw error
      // The fault has no `cause`: the detail of the database's error names the external id.
      if (attempt >= identityAttempts) throw queueUnavailable()
      await pauseAfter(attempt)
    }
  }
}

/**
 * Waits for a random time before the next attempt. After the first attempt it does not wait, because the other transaction has usually ended by then.
 */
export async function pauseAfter(attempt: number): Promise<void> {
  if (attempt === 1) return
  await sleep(Math.random() * Math.min(longestPauseMs, 2 ** attempt))
}

/**
 * Whether the error says that another transaction has just made this device or user (23505, or 23503 in `writeRegistrations`) or has removed the
 * owner (23503), or that there was a deadlock in spite of the order of locks (40P01).
 */
const hasCollided = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '23503' || error.code === '40P01')
