import type { CodeCount, SeriesBucket } from '@herald/contracts/series'
import { sql, type RawBuilder } from 'kysely'
import type { CodeMove, HourMove } from '../core/hours.ts'
import { countedKinds, type CountsAt } from '../core/series.ts'
import type { Db } from './tables.ts'

/** A part of an app's series, in Unix milliseconds. `from` and `until` are beginnings of buckets; the bucket at `until` is left out. */
export type Span = { appId: string; from: number; until: number }

const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
const dayOf = (ms: number) => sql`${new Date(ms).toISOString().slice(0, 10)}::date`
const columns = sql.join(countedKinds.map((kind) => sql.ref(kind)))
const sums = sql.join(countedKinds.map((kind) => sql`sum(${sql.ref(kind)})::bigint as ${sql.ref(kind)}`))

/** `hourMovesOf` and `codeMovesOf` give what is added to hours and codes as JSON for `move_series` (migrations/0200). */
export const hourMovesOf = (moves: HourMove[]): string => JSON.stringify(moves.map(({ appId, ...move }) => ({ app_id: appId, ...move })))
export const codeMovesOf = (moves: CodeMove[]): string =>
  JSON.stringify(moves.map(({ campaignId, appId, ...move }) => ({ campaign_id: campaignId, app_id: appId, ...move })))

export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(Number.NaN)
}

/**
 * Gives what was counted by bucket and platform, without empty buckets. A day is the sum of its hours and what is merged into it; one statement reads
 * both, so a merge meanwhile loses or doubles nothing.
 */
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

/** Counts how many pushes failed or were skipped with each code, by bucket and platform, earliest first, at most `limit` rows. */
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

/** At most this many rows of a table are merged or deleted at once. */
const mostMerged = 5_000
/** When an hour and the hour after it are over, its stripes 0 to 15 (column `slot`) are merged into this one. */
const stripeOfAll = 16

/** The two pairs of tables whose hours are merged into days. `names` are the columns of a row's key besides app and hour. */
const series = [
  { hours: 'app_hours', days: 'app_days', names: ['platform'], values: countedKinds },
  { hours: 'app_hour_codes', days: 'app_day_codes', names: ['platform', 'outcome', 'code'], values: ['count'] },
] as const

/** Merges the stripes of an hour into one row once the next hour is over too, at most 5,000 rows of a table at once. Gives how many rows it merged. */
export const mergeStripes = (db: Db): Promise<number> =>
  mergeEach(db, 'stripes', sql`slot < ${sql.lit(stripeOfAll)} and hour < date_trunc('hour', now(), 'UTC') - interval '1 hour'`)

/** Merges the hours of UTC days more than `days` ago into days, at most 5,000 rows of a table at once. Gives how many rows it merged. */
export const mergeHours = (db: Db, days: number): Promise<number> =>
  mergeEach(db, 'days', sql`hour < date_trunc('day', now(), 'UTC') - make_interval(days => ${days})`)

/**
 * Merges old rows of stripes or hours into rows of the same hour or day. One statement moves a row, so each count is in exactly one. A row that a late
 * commit makes again is merged later.
 */
async function mergeEach(db: Db, into: 'stripes' | 'days', isOld: RawBuilder<unknown>): Promise<number> {
  let merged = 0
  for (const { hours, days, names, values } of series) {
    const columns = (all: readonly string[]) => sql.join(all.map((name) => sql.ref(name)))
    const key = ['app_id', 'hour', ...names, 'slot']
    const to =
      into === 'days'
        ? { table: days, at: 'day', time: sql`(hour at time zone 'utc')::date`, slot: [], inSlot: sql`` }
        : { table: hours, at: 'hour', time: sql`hour`, slot: ['slot'], inSlot: sql`, ${sql.lit(stripeOfAll)}::smallint` }
    const grouped = sql.join([sql`app_id`, to.time, ...names.map((name) => sql.ref(name))])
    const { rows } = await sql<{ merged: number }>`
      with old as materialized (
        select ${columns(key)} from ${sql.table(hours)} where ${isOld} order by hour limit ${mostMerged} for update skip locked
      ), gone as (
        delete from ${sql.table(hours)} h using old
        where ${sql.join(
          key.map((name) => sql`h.${sql.ref(name)} = old.${sql.ref(name)}`),
          sql` and `,
        )}
        returning h.*
      ), merged as (
        insert into ${sql.table(to.table)} as t (${columns(['app_id', to.at, ...names, ...values, ...to.slot])})
        select ${grouped}, ${sql.join(values.map((name) => sql`sum(${sql.ref(name)})::bigint`))} ${to.inSlot}
        from gone group by ${grouped} order by ${grouped}
        on conflict (${columns(['app_id', to.at, ...names, ...to.slot])}) do update set ${sql.join(
          values.map((name) => sql`${sql.ref(name)} = t.${sql.ref(name)} + excluded.${sql.ref(name)}`),
        )}
      )
      select count(*) as merged from gone`.execute(db)
    merged += rows[0]?.merged ?? 0
  }
  return merged
}

/** Deletes days more than `days` ago, at most 5,000 rows of a table, and gives how many rows. Their `ctid` is fixed: nothing updates days so old. */
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
 * Deletes at most `limit` rows of an app's series, and gives how many. The app's counters must be deleted before: then no commit changes these rows.
 */
export async function deleteSeriesOf(db: Db, appId: string, limit: number): Promise<number> {
  let deleted = 0
  // A merge may move a row to another row of its table, or to a table of days, while this statement waits. So hours are deleted from twice, and days
  // last.
  for (const table of ['app_hours', 'app_hours', 'app_hour_codes', 'app_hour_codes', 'app_days', 'app_day_codes'] as const) {
    if (deleted >= limit) break
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where app_id = ${appId} and ctid = any(array(
        select ctid from ${sql.table(table)} where app_id = ${appId} limit ${limit - deleted} for update
      ))`.execute(db)
    deleted += Number(numAffectedRows ?? 0)
  }
  return deleted
}
