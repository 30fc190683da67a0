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
 * Gives a query of the ids of the apps that have rows `t`; `rows` is the SQL after `from`, with a `where`. The sweep lets apps take turns: it takes the
 * first row of each app, then the second row of each, and so on. So an app with many rows does not delay the others. The query looks once for each
 * app into an index that begins with the app, so its cost does not grow with the number of rows.
 */
export const appsOf = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  with recursive apps as (
    (select t.app_id from ${rows} order by t.app_id limit 1)
    union all
    select (select t.app_id from ${rows} and t.app_id > apps.app_id order by t.app_id limit 1) from apps where apps.app_id is not null
  )
  select app_id from apps where app_id is not null)`

/**
 * The condition that a batch is not done, for statements that read all such batches. It is written like the index of these batches (migrations/0200),
 * so that the planner uses that index. A statement that looks for a few batches must write `done_at is null`, so that the planner does not use that
 * index.
 */
export const notDone = sql`coalesce(done_at, 'infinity') = 'infinity'`
/**
 * Batches of small sends that no dispatcher has taken. If `due_at` is in the future, a pointer at the batch was or is being published; if `due_at`
 * has passed, the batch waits until the sweep points at it.
 */
export const onLane = sql`batches t where t.lane = 'prompt' and t.takes = 0 and t.not_before is null and t.done_at is null`
/** All unfinished batches that are not `onLane`. */
export const dueAgain = sql`batches t where t.done_at is null and (t.lane = 'bulk' or t.takes > 0 or t.not_before is not null)`
export const dueFanOuts = sql`fan_outs t where t.due_at is not null`

/**
 * Gives the SQL of how many more batches of small sends of an app and platform may get a pointer now: `pointedAtOnce` less the batches that have a
 * pointer and wait for a dispatcher. Batches of paused sends do not count, because they would block the others. A batch's fan-out is looked up only if
 * the app has paused sends, because the look-ups took a third of the time in which small sends are begun. (With `|| ''` and `offset 0` the planner
 * reads each fan-out by its key, and not all paused ones.)
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

/** Finds the platforms of an app on which new batches of small sends must wait until the sweep points at them (`roomOnLane` is 0). */
export async function findFullLanes(db: Db, appId: string): Promise<Set<Platform>> {
  const { rows } = await sql<{ platform: Platform }>`
    select platform from unnest(${[...platforms]}::text[]) as p(platform) where ${roomOnLane(sql`${appId}`, sql`p.platform`)} = 0`.execute(
    db,
  )
  return new Set(rows.map(({ platform }) => platform))
}
