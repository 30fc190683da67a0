import { perPlatform, platforms, type Platform } from '@herald/contracts/platform'
import type { DeviceCount } from '@herald/contracts/series'
import { sql } from 'kysely'
import { reachable } from '../../segments/store/segment-sql.ts'
import type { Db } from '../../store/tables.ts'

/** The counts of the devices of one platform at an instant. `new`: how many devices were made within the 24 hours before that instant. */
export type DayCount = DeviceCount & { new: number }
export type CountsByPlatform = Record<Platform, DayCount>

/** Gives the SQL that counts devices `s` at the instant `at`. It reads their present rows, so a device that changed after `at` counts as it is now. */
const counted = (at: ReturnType<typeof sql>) => sql`
  s.platform, count(*) as total, count(*) filter (where ${reachable}) as reachable,
  count(*) filter (where not s.opted_in and s.invalidated_at is null) as "optedOut", count(*) filter (where s.invalidated_at is not null) as invalidated,
  count(*) filter (where s.last_active_at >= ${at} - interval '1 day') as active1d, count(*) filter (where s.last_active_at >= ${at} - interval '7 days') as active7d,
  count(*) filter (where s.last_active_at >= ${at} - interval '30 days') as active30d, count(*) filter (where s.created_at >= ${at} - interval '1 day') as new`

type Row = DayCount & { platform: Platform }
const none: DayCount = { total: 0, reachable: 0, optedOut: 0, invalidated: 0, active1d: 0, active7d: 0, active30d: 0, new: 0 }

function byPlatform(rows: Row[]): CountsByPlatform {
  return perPlatform((platform) => {
    const sum = { ...none }
    for (const row of rows.filter((row) => row.platform === platform))
      for (const name of Object.keys(none) as (keyof DayCount)[]) sum[name] += row[name]
    return sum
  })
}

/** Counts an app's devices now, by a scan of all of them, in parallel if Postgres has free workers. It may take up to 8 s. */
export const countDevicesNow = (db: Db, appId: string): Promise<{ asOf: Date; counts: CountsByPlatform }> =>
  db.transaction().execute(async (trx) => {
    // A read may take 2 s unless it sets its own limit. This count needs longer.
    await sql`set local statement_timeout = '8s'`.execute(trx)
    const { rows } = await sql<Row>`
      select ${counted(sql`now()`)} from subscriptions s where s.app_id = ${appId} group by s.platform`.execute(trx)
    const now = await sql<{ now: Date }>`select now() as now`.execute(trx)
    return { asOf: now.rows[0]?.now ?? new Date(Number.NaN), counts: byPlatform(rows) }
  })

/** Each statement of a day's scan counts at most this many devices, which takes about 50 ms. */
export const devicesAtOnce = 100_000

/** Counts an app's devices at the end of a UTC day, in parts of `atOnce` devices. `read` runs each part on a connection for reads. */
export async function countDevicesOn(
  read: <Answer>(work: (db: Db) => Promise<Answer>) => Promise<Answer>,
  { appId, day, atOnce = devicesAtOnce }: { appId: string; day: string; atOnce?: number },
): Promise<CountsByPlatform> {
  const end = sql`((${day}::date + 1)::timestamp at time zone 'utc')`
  const found: Row[] = []
  for (let after = ''; ;) {
    const from = after
    const to = await read((db) => findPlace(db, { appId, after: from, places: atOnce }))
    const { rows } = await read((db) =>
      sql<Row>`
        select ${counted(end)} from subscriptions s
        where s.app_id = ${appId} and s.id > ${from} ${to === undefined ? sql`` : sql`and s.id <= ${to}`} and s.created_at < ${end}
        group by s.platform`.execute(db),
    )
    found.push(...rows)
    if (to === undefined) return byPlatform(found)
    after = to
  }
}

/** Finds the id of the device that comes `places` places after the id `after` among an app's devices. Undefined when fewer devices follow. */
async function findPlace(db: Db, { appId, after, places }: { appId: string; after: string; places: number }): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from subscriptions where app_id = ${appId} and id > ${after} order by id offset ${places - 1} limit 1`.execute(db)
  return rows[0]?.id
}

/** Gives the last UTC day that has ended by the database's clock, as `YYYY-MM-DD`. */
export async function findLastDay(db: Db): Promise<string> {
  const { rows } = await sql<{ day: string }>`select (now() at time zone 'utc')::date - 1 as day`.execute(db)
  return rows[0]?.day ?? ''
}

/** Finds the next app that has devices, in the order of the apps' ids, after the id `after`. Reads one entry of an index. */
export async function findNextApp(db: Db, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ appId: string }>`
    select app_id as "appId" from subscriptions where app_id > ${after} order by app_id limit 1`.execute(db)
  return rows[0]?.appId
}

/** The claim on a day lasts this long. When the process that has the claim dies, another process counts the day afterwards. */
const claimFor = sql`interval '10 minutes'`

/**
 * Claims an app's day for counting. Answers `claimed`, `held` (another process has claimed the day and not counted it yet), or `taken` (the day is
 * counted, or the app was deleted).
 */
export async function claimDay(db: Db, { appId, day }: { appId: string; day: string }): Promise<'claimed' | 'held' | 'taken'> {
  const claimed = await sql`
    insert into device_day_claims as c (app_id, day, until) values (${appId}, ${day}::date, now() + ${claimFor})
    on conflict (app_id) do update set day = excluded.day, until = excluded.until
    where c.day < excluded.day or (c.day = excluded.day and c.until <= now())
    returning app_id`.execute(db)
  if (claimed.rows.length > 0) return 'claimed'
  const { rows } = await sql<{ held: boolean }>`
    select day = ${day}::date and until < 'infinity' as held from device_day_claims where app_id = ${appId}`.execute(db)
  return rows[0]?.held ? 'held' : 'taken'
}

/** Ends the claim on a day that was not counted, so that any process may claim it. */
export const releaseDay = (db: Db, { appId, day }: { appId: string; day: string }) =>
  sql`update device_day_claims set until = now() where app_id = ${appId} and day = ${day}::date and until < 'infinity'`.execute(db)

/** Writes the counts of a claimed day, and marks the day as counted. Counts that exist already stay. */
export async function insertDeviceDay(db: Db, { appId, day }: { appId: string; day: string }, counts: CountsByPlatform): Promise<void> {
  const rows = platforms.map((platform) => ({ platform, ...counts[platform] }))
  await sql`
    with taken as (
      insert into device_days (app_id, day, platform, total, reachable, opted_out, invalidated, active_1d, active_7d, active_30d, new)
      select ${appId}, ${day}::date, r.platform, r.total, r.reachable, r."optedOut", r.invalidated, r."active1d", r."active7d", r."active30d", r.new
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(
        platform text, total int, reachable int, "optedOut" int, invalidated int, "active1d" int, "active7d" int, "active30d" int, new int)
      on conflict do nothing
    )
    update device_day_claims set until = 'infinity' where app_id = ${appId} and day = ${day}::date`.execute(db)
}

export type TakenDay = DayCount & { day: string; platform: Platform; takenAt: Date }
const dayColumns = sql`day, platform, taken_at as "takenAt", total, reachable, opted_out as "optedOut", invalidated,
  active_1d as "active1d", active_7d as "active7d", active_30d as "active30d", new`

/** Finds the counted days of an app from `from` on, earliest first. If `before` is given, it finds only days before that day. */
export async function findDeviceDays(
  db: Db,
  { appId, from, before }: { appId: string; from: string; before: string | undefined },
): Promise<TakenDay[]> {
  const { rows } = await sql<TakenDay>`
    select ${dayColumns} from device_days
    where app_id = ${appId} and day >= ${from}::date ${before === undefined ? sql`` : sql`and day < ${before}::date`}
    order by day, platform`.execute(db)
  return rows
}

/** Finds the counts of the last day on which an app's devices were counted; undefined when they were never counted. */
export async function findNewestDay(db: Db, appId: string): Promise<{ takenAt: Date; counts: CountsByPlatform } | undefined> {
  const { rows } = await sql<TakenDay>`
    select ${dayColumns} from device_days
    where app_id = ${appId} and day = (select max(day) from device_days where app_id = ${appId})`.execute(db)
  return rows[0] && { takenAt: rows[0].takenAt, counts: byPlatform(rows) }
}

/** Deletes up to 5,000 rows older than `days` days. Answers whether there may be more. Rows are never updated, so `ctid` can serve as a key. */
export async function purgeDeviceDays(db: Db, days: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from device_days where ctid = any(array(
      select ctid from device_days where day < (now() at time zone 'utc')::date - ${days}::int limit 5000
    ))`.execute(db)
  return numAffectedRows === 5_000n
}
