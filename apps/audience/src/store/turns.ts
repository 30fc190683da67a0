import { platforms, type Platform } from '@herald/contracts/platform'
import { pointedAtOnce, sweepAgain } from '@herald/contracts/topology'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from './tables.ts'

const [firstWait, longestWait] = [sweepAgain.stepSeconds, sweepAgain.mostSeconds]
/** The first `due_at` of a row: after this time the sweep points at the row, in case its first pointer was lost. */
export const soon = sql<Date>`now() + ${sql.lit(`${firstWait} seconds`)}::interval`
/**
 * The `due_at` of a fan-out that begins to wait for room in the bulk window now. Usually the finish of a batch wakes the fan-out earlier; if not, the
 * sweep does.
 */
export const sweptAgainAtMost = sql<Date>`now() + ${sql.lit(`${longestWait} seconds`)}::interval`
/** The next `due_at` of a row that the sweep points at now. With each pointer to the row the wait grows (`sweepAgain` in libs/contracts). */
export const sweptAgain = sql<Date>`now() + make_interval(secs => least(${sql.lit(firstWait)} * (pointer_no + 2), ${sql.lit(longestWait)}))`

/**
 * Gives a query of the apps that have rows `t` (`rows`: SQL after `from`, with `where`), which take turns. It looks once for each app into an index
 * that begins with the app, however many rows there are.
 */
export const appsOf = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  with recursive apps as (
    (select t.app_id from ${rows} order by t.app_id limit 1)
    union all
    select (select t.app_id from ${rows} and t.app_id > apps.app_id order by t.app_id limit 1) from apps where apps.app_id is not null
  )
  select app_id from apps where app_id is not null)`

/**
 * That a batch is not done, for statements that read all such batches: written like their index (migrations/0200), so that the planner uses it. A
 * statement for a few batches must write `done_at is null`, to avoid it.
 */
export const notDone = sql`coalesce(done_at, 'infinity') = 'infinity'`
/**
 * Batches of small sends that no dispatcher has taken. With `due_at` in the future a pointer was or is being published; with a passed one the sweep
 * points when it is their turn.
 */
export const onLane = sql`batches t where t.lane = 'prompt' and t.takes = 0 and t.not_before is null and t.done_at is null`
/** All unfinished batches that are not `onLane`. */
export const dueAgain = sql`batches t where t.done_at is null and (t.lane = 'bulk' or t.takes > 0 or t.not_before is not null)`
export const dueFanOuts = sql`fan_outs t where t.due_at is not null`

/**
 * Gives the SQL of how many more small sends' batches of an app and platform may get a pointer (at most `pointedAtOnce`). Batches of paused sends do
 * not count. `|| ''` and `offset 0` make the planner use keys.
 */
export const roomOnLane = (appId: RawBuilder<unknown>, platform: RawBuilder<unknown>): RawBuilder<unknown> => {
  // Fan-outs are looked up only for an app with paused sends: the look-ups took a third of the time in which small sends are begun.
  const pointedAt = sql`${onLane} and t.app_id = ${appId} and t.platform = ${platform} and t.due_at > now()`
  return sql`
  greatest(0, ${sql.lit(pointedAtOnce)} - case
    when exists (select from fan_outs p where p.app_id = ${appId} and p.flow = 'paused') then (
      select count(*) from ${pointedAt} and not exists (select from fan_outs f where f.campaign_id = t.campaign_id and f.flow || '' = 'paused' offset 0))
    else (select count(*) from (select from ${pointedAt} limit ${sql.lit(pointedAtOnce)}) as counted)
  end)`
}

/** Finds the platforms of an app on which new batches of small sends must wait until the sweep points at them (`roomOnLane` is 0). */
export async function findFullLanes(db: Db, appId: string): Promise<Set<Platform>> {
  const { rows } = await sql<{ platform: Platform }>`
    select platform from unnest(${[...platforms]}::text[]) as p(platform) where ${roomOnLane(sql`${appId}`, sql`p.platform`)} = 0`.execute(
    db,
  )
  return new Set(rows.map(({ platform }) => platform))
}
