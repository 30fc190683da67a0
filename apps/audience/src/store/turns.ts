import { platforms, type Platform } from '@herald/contracts/platform'
import { pointedAtOnce, sweepAgain } from '@herald/contracts/topology'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from './tables.ts'

const [firstWait, longestWait] = [sweepAgain.stepSeconds, sweepAgain.mostSeconds]
/** When the sweep points at a row that is made now, or begins anew now: its first pointer may be lost. */
export const soon = sql<Date>`now() + ${sql.lit(`${firstWait} seconds`)}::interval`
/** When the sweep points at a row that now begins to wait and is usually woken before. */
export const sweptAgainAtMost = sql<Date>`now() + ${sql.lit(`${longestWait} seconds`)}::interval`
/** When the sweep points again at a row that it points at now, by the pointer number that the row gets (contracts' `sweepAgain`). */
export const sweptAgain = sql<Date>`now() + make_interval(secs => least(${sql.lit(firstWait)} * (pointer_no + 2), ${sql.lit(longestWait)}))`

/**
 * The apps that have rows `t`, which are given as `from … where …`. It looks once for each app into an index that begins with the app: the
 * cost follows from the number of apps, and not from how many rows each app has.
 */
export const appsOf = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  with recursive apps as (
    (select t.app_id from ${rows} order by t.app_id limit 1)
    union all
    select (select t.app_id from ${rows} and t.app_id > apps.app_id order by t.app_id limit 1) from apps where apps.app_id is not null
  )
  select app_id from apps where app_id is not null)`

/**
 * Batches that are not done, for statements that walk through all of them: written as the index has it (migrations/0095). Statements that
 * look for a few batches must not be written like this, so that the planner does not take that index for them.
 */
export const notDone = sql`coalesce(done_at, 'infinity') = 'infinity'`
/** Batches of small sends that nobody has taken. Those that are due later are pointed at; those that are due wait for their app's turn. */
export const onLane = sql`batches t where t.lane = 'prompt' and t.takes = 0 and t.not_before is null and t.done_at is null`
/** All other unfinished batches. */
export const dueAgain = sql`batches t where t.done_at is null and (t.lane = 'bulk' or t.takes > 0 or t.not_before is not null)`
export const dueFanOuts = sql`fan_outs t where t.due_at is not null`

/**
 * How many more batches of small sends of an app and platform may be pointed at now. Batches of paused sends do not count: they would block
 * the others. Each batch is compared with its fan-out only if the app has paused sends: the comparison took a third of the time in which
 * small sends are begun. (`|| ''` and `offset 0`: each fan-out is read by its key, and not all paused ones.)
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

/** Finds the platforms of an app on which no more batches of small sends may be pointed at now: new ones wait for their turn. */
export async function findFullLanes(db: Db, appId: string): Promise<Set<Platform>> {
  const { rows } = await sql<{ platform: Platform }>`
    select platform from unnest(${[...platforms]}::text[]) as p(platform) where ${roomOnLane(sql`${appId}`, sql`p.platform`)} = 0`.execute(
    db,
  )
  return new Set(rows.map(({ platform }) => platform))
}
