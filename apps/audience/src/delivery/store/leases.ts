import { sql } from 'kysely'
import { takenLease } from './batches.ts'
import type { Db } from '../../store/tables.ts'
import { notDone } from '../../store/turns.ts'

/**
 * Gives every taken batch a whole lease from now; those that somebody is just writing stay as they are. `unlessRenewed`: not if any lease
 * was taken or renewed in the last 6 s. At most three times without a word of its taker: a connection that comes and goes would keep what a
 * dead one has left for ever.
 */
export const extendLeases = (db: Db, { unlessRenewed }: { unlessRenewed: boolean }) =>
  sql`
    with lapsed as (
      select id from batches
      where ${notDone} and lease_until < ${takenLease} and spared < 3 and not (
        ${unlessRenewed} and exists (select from batches where ${notDone} and lease_until > now() + interval '6 seconds')
      )
      for no key update skip locked
    )
    update batches b set lease_until = ${takenLease}, due_at = ${takenLease}, spared = spared + 1
    from lapsed where b.id = lapsed.id`.execute(db)
