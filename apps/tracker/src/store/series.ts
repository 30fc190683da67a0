import type { CodeCount, SeriesBucket } from '@herald/contracts/series'
import { sql } from 'kysely'
import { countedKinds, type CountsAt } from '../core/series.ts'
import type { Db } from './tables.ts'

/** Of an app, from an instant on and before another, which are beginnings of buckets: Unix milliseconds. */
export type Span = { appId: string; from: number; until: number }

const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
const dayOf = (ms: number) => sql`${new Date(ms).toISOString().slice(0, 10)}::date`
const columns = sql.join(countedKinds.map((kind) => sql.ref(kind)))
const sums = sql.join(countedKinds.map((kind) => sql`sum(${sql.ref(kind)})::bigint as ${sql.ref(kind)}`))

export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(Number.NaN)
}

/** What was counted by bucket and platform, where there was something. Days are hours and merged days together, read in one statement: the merge hides nothing. */
export async function findCounts(db: Db, bucket: SeriesBucket, span: Span): Promise<CountsAt[]> {
  const hours = sql`app_hours where app_id = ${span.appId} and hour >= ${at(span.from)} and hour < ${at(span.until)}`
  const { rows } =
    bucket === 'hour'
      ? await sql<CountsAt>`select hour as at, platform, ${sums} from ${hours} group by hour, platform`.execute(db)
      : await sql<CountsAt>`
          select day::timestamp at time zone 'utc' as at, platform, ${sums} from (
            select (hour at time zone 'utc')::date as day, platform, ${columns} from ${hours}
            union all
            select day, platform, ${columns} from app_days
            where app_id = ${span.appId} and day >= ${dayOf(span.from)} and day < ${dayOf(span.until)}
          ) as counted
          group by day, platform`.execute(db)
  return rows
}

/** How often pushes failed or were skipped with each code, by bucket and platform, earliest first; at most `limit` rows. */
export async function findCodes(db: Db, bucket: SeriesBucket, span: Span, limit: number): Promise<(CodeCount & { at: Date })[]> {
  const hours = sql`app_hour_codes where app_id = ${span.appId} and hour >= ${at(span.from)} and hour < ${at(span.until)}`
  const counted =
    bucket === 'hour'
      ? sql`(select hour as at, platform, outcome, code, count from ${hours})`
      : sql`(
          select date_trunc('day', hour, 'UTC') as at, platform, outcome, code, count from ${hours}
          union all
          select day::timestamp at time zone 'utc', platform, outcome, code, count from app_day_codes
          where app_id = ${span.appId} and day >= ${dayOf(span.from)} and day < ${dayOf(span.until)}
        )`
  const { rows } = await sql<CodeCount & { at: Date }>`
    select at, platform, outcome, code, sum(count)::bigint as count from ${counted} as counted
    group by at, platform, outcome, code order by at, platform, outcome, code limit ${limit}`.execute(db)
  return rows
}

/** Rows that are merged, or deleted, at once. */
const mostMerged = 5_000

/**
 * Makes days of the hours of UTC days more than `days` ago, at most 5,000 rows at once; answers how many. A row is deleted in the statement that adds it to
 * its day, so it counts in one of the two, whoever else merges and whoever dies.
 */
export async function mergeHours(db: Db, days: number): Promise<number> {
  const before = sql`date_trunc('day', now(), 'UTC') - make_interval(days => ${days})`
  const added = sql.join(countedKinds.map((kind) => sql`${sql.ref(kind)} = d.${sql.ref(kind)} + excluded.${sql.ref(kind)}`))
  const counts = await sql<{ merged: number }>`
    with old as materialized (
      select app_id, hour, platform, slot from app_hours where hour < ${before} order by hour limit ${mostMerged} for update skip locked
    ), gone as (
      delete from app_hours h using old
      where h.app_id = old.app_id and h.hour = old.hour and h.platform = old.platform and h.slot = old.slot returning h.*
    ), merged as (
      insert into app_days as d (app_id, day, platform, ${columns})
      select app_id, (hour at time zone 'utc')::date, platform, ${sums} from gone group by 1, 2, 3 order by 1, 2, 3
      on conflict (app_id, day, platform) do update set ${added}
    )
    select count(*) as merged from gone`.execute(db)
  const codes = await sql<{ merged: number }>`
    with old as materialized (
      select app_id, hour, platform, outcome, code, slot from app_hour_codes where hour < ${before}
      order by hour limit ${mostMerged} for update skip locked
    ), gone as (
      delete from app_hour_codes h using old
      where h.app_id = old.app_id and h.hour = old.hour and h.platform = old.platform and h.outcome = old.outcome and h.code = old.code
        and h.slot = old.slot
      returning h.*
    ), merged as (
      insert into app_day_codes as d (app_id, day, platform, outcome, code, count)
      select app_id, (hour at time zone 'utc')::date, platform, outcome, code, sum(count)::bigint from gone group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (app_id, day, platform, outcome, code) do update set count = d.count + excluded.count
    )
    select count(*) as merged from gone`.execute(db)
  return (counts.rows[0]?.merged ?? 0) + (codes.rows[0]?.merged ?? 0)
}

/** Deletes days more than `days` ago, at most 5,000 rows of a table at once; answers how many. Nothing moves them any more, so a row's place is a key. */
export async function deleteOldSeries(db: Db, days: number): Promise<number> {
  let deleted = 0
  for (const table of ['app_days', 'app_day_codes'] as const) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where day < (now() at time zone 'utc')::date - ${days}::int limit ${mostMerged}
      ))`.execute(db)
    deleted += Number(numAffectedRows ?? 0)
  }
  return deleted
}

/**
 * Deletes at most `limit` rows of an app's series; answers how many. When its counters are gone no commit moves them any more, since one that finds no
 * counters is taken back. Only the merge may move a row while this waits for it, to a table that comes later here.
 */
export async function deleteSeriesOf(db: Db, appId: string, limit: number): Promise<number> {
  let deleted = 0
  for (const table of ['app_hours', 'app_hour_codes', 'app_days', 'app_day_codes'] as const) {
    if (deleted >= limit) break
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where app_id = ${appId} and ctid = any(array(
        select ctid from ${sql.table(table)} where app_id = ${appId} limit ${limit - deleted} for update
      ))`.execute(db)
    deleted += Number(numAffectedRows ?? 0)
  }
  return deleted
}
