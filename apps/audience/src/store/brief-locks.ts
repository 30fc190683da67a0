import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * SQL that is always true and limits how long the statement, or the rest of its transaction, waits for each locked row: 2 s, because the caller of a
 * change gives up after 3 s.
 */
export const briefLocks = sql<boolean>`(select set_config('lock_timeout', '2000', true)) is not null`

/** Limits the waits of the rest of a transaction like `briefLocks`. */
export const limitLocks = (trx: Db) => sql`select ${briefLocks}`.execute(trx)
