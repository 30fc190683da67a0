import type { Lane, Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import type { NewBatch } from '../core/batching.ts'
import type { FanOut } from './fan-outs.ts'

/** A batch with its id and its number in the campaign (`no`, from 1). */
export type MadeBatch = NewBatch & { id: string; no: number }

/**
 * Inserts the batches of a page. The caller points at them right after the commit, otherwise the sweep does after 5 s. On the platforms in `waiting`
 * only the sweep points, when it is the app's turn (store/turns.ts).
 */
export const insertBatches = (db: Db, fanOut: FanOut, lane: Lane, batches: MadeBatch[], waiting: ReadonlySet<Platform> = new Set()) =>
  sql`
    insert into batches (id, app_id, campaign_id, platform, lane, day, batch_no, subscription_ids, user_ids, decided, due_at)
    values ${sql.join(
      batches.map(
        ({ id, no, platform, subscriptionIds, userIds, decided }) => sql`(
          ${id}, ${fanOut.appId}, ${fanOut.campaignId}, ${platform}, ${lane}, ${fanOut.day}, ${no}, ${listOf(subscriptionIds)}, ${listOf(userIds)},
          ${decided && JSON.stringify(decided)}, now() + make_interval(secs => ${waiting.has(platform) ? 0 : 5})
        )`,
      ),
    )}`.execute(db)

/** Writes ids as a Postgres array. They are hexadecimal, so nothing in them needs quotes. */
export const listOf = (ids: readonly string[]): string => `{${ids.join(',')}}`
