import { pointedAtOnce } from '@herald/contracts/topology'
import { sql, type RawBuilder } from 'kysely'

/**
 * The apps that have rows `t` of a table, given as `from … where …`, by one look into an index that begins with the app for each: what a turn
 * costs follows from the number of apps and not from what each has waiting.
 */
export const appsOf = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  with recursive apps as (
    (select t.app_id from ${rows} order by t.app_id limit 1)
    union all
    select (select t.app_id from ${rows} and t.app_id > apps.app_id order by t.app_id limit 1) from apps where apps.app_id is not null
  )
  select app_id from apps where app_id is not null)`

/** Batches that are not done, for who walks through all of them: the words of their index (migrations/0095), which nobody says who looks for a few. */
export const notDone = sql`coalesce(done_at, 'infinity') = 'infinity'`
/** Batches of small sends that nobody has taken: pointed at (due later), or waiting for their app's turn (due). */
export const onLane = sql`batches t where t.lane = 'prompt' and t.takes = 0 and t.not_before is null and t.done_at is null`
/** All other batches that are not done. */
export const dueAgain = sql`batches t where t.done_at is null and (t.lane = 'bulk' or t.takes > 0 or t.not_before is not null)`
export const dueFanOuts = sql`fan_outs t where t.due_at is not null`

/**
 * How many more batches of small sends of an app and platform may be pointed at now. What is paused does not count: it would block the others.
 * (`|| ''` and `offset 0`: each fan-out by its key, and not all that are paused.) Only where an app has paused sends is each batch held against its fan-out: that took a third of the time in which small sends are begun.
 */
export const roomOnLane = (appId: RawBuilder<unknown>, platform: RawBuilder<unknown>): RawBuilder<unknown> => {
  const pointedAt = sql`${onLane} and t.app_id = ${appId} and t.platform = ${platform} and t.due_at > now()`
  return sql`
  greatest(0, ${sql.lit(pointedAtOnce)} - case
    when exists (select from fan_outs p where p.app_id = ${appId} and p.flow = 'paused') then (
      select count(*) from ${pointedAt} and not exists (select from fan_outs f where f.campaign_id = t.campaign_id and f.flow || '' = 'paused' offset 0))
    else (select count(*) from (select from ${pointedAt} limit ${sql.lit(pointedAtOnce)}) as counted)
  end)`
}
