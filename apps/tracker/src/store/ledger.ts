import { sql } from 'kysely'
import type { Slots } from '../core/slots.ts'
import { partitionName } from './partitions.ts'
import type { Db } from './tables.ts'

/** Gives an id as the ledger stores it: 12 bytes. */
export const idBytes = (id: string): Buffer => Buffer.from(id, 'hex')

export type BatchKey = { campaignId: string; no: number }

/**
 * Finds the day of a campaign's rows in the ledger, when the campaign's fan-out ended, and whether the ledger still keeps it. Undefined when no
 * fan-out has reported the campaign, or it belongs to another app.
 */
export async function findLedgerOf(
  db: Db,
  { appId, campaignId, retentionDays }: { appId: string; campaignId: string; retentionDays: number },
): Promise<{ day: string; fannedOutAt: Date | null; isKept: boolean } | undefined> {
  const { rows } = await sql<{ day: string; fannedOutAt: Date | null; isKept: boolean }>`
    select day, fanned_out_at as "fannedOutAt", day >= (now() at time zone 'utc')::date - ${retentionDays}::int as "isKept"
    from counters where campaign_id = ${campaignId} and app_id || '' = ${appId}`.execute(db)
  return rows[0]
}

/**
 * A row of the ledger as read. `batch`: its batch's index in the request. `heard`: event types that the app's endpoints ask for. `listened`: that
 * list's version, or -1. `devices`, `users`: null unless an event may be announced.
 */
export type ReadRow = Slots & {
  batch: number
  at: Date
  listened: number
  heard: string[] | null
  devices: Buffer | null
  users: Buffer | null
}

const slotColumns = sql`l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped`

/**
 * Reads the rows of batches of one day, in the order given; none for unknown batches or past the retention. `types`: event types that may be
 * announced, separated by spaces. `at`: the database's time. `db` keeps the day's plan.
 */
export async function readRows(
  db: Db,
  day: string,
  batches: (BatchKey & { appId: string; types: string })[],
  retentionDays: number,
): Promise<ReadRow[]> {
  const asked = batches.map(({ campaignId, no, appId, types }, batch) => ({ batch, id: campaignId, no, app: appId, types }))
  try {
    const { rows } = await sql<ReadRow>`
      select told.batch, now() as at, coalesce(who.version, -1) as listened, who.event_types as heard, ${slotColumns},
        case when told.types && who.event_types then l.devices end as devices, case when told.types && who.event_types then l.users end as users
      from (
        select batch, decode(id, 'hex') as id, no, app, string_to_array('* ' || types, ' ') as types
        from json_to_recordset(${JSON.stringify(asked)}::json) as a(batch int, id text, no int, app text, types text)
      ) as told
      cross join lateral (
        select * from ${sql.id(partitionName('ledger_batches', day))} l
        where l.campaign_id = told.id and l.batch_no = told.no and l.day = ${day}::date
          and l.day >= (now() at time zone 'utc')::date - ${retentionDays}::int
        order by l.place offset 0
      ) as l
      left join lateral (select * from listeners where listeners.app_id = told.app offset 0) as who on true`.execute(db)
    return rows
  } catch (error) {
    if (isWithoutPartition(error)) return []
    throw error
  }
}

/** Says whether an error is Postgres' "relation does not exist": nothing was ever reported on that day, or it is past the retention. */
export const isWithoutPartition = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '42P01'

/** Finds, among the apps and days of these batches, those for which nothing is written: deleted apps, and days past the retention. */
export async function findLetGo(
  db: Db,
  batches: { appId: string; day: string }[],
  retentionDays: number,
): Promise<{ apps: Set<string>; days: Set<string> }> {
  const { rows } = await sql<{ apps: string[]; days: string[] }>`
    select
      array(select app_id from erased_apps where app_id = any(${batches.map(({ appId }) => appId)}::text[])) as apps,
      array(
        select day::text from unnest(${[...new Set(batches.map(({ day }) => day))]}::date[]) as told(day)
        where day < (now() at time zone 'utc')::date - ${retentionDays}::int
      ) as days`.execute(db)
  return { apps: new Set(rows[0]?.apps), days: new Set(rows[0]?.days) }
}

/** Finds the rows of one batch, without the ids of devices and users. */
export async function findRows(db: Db, { day, campaignId, no }: BatchKey & { day: string }): Promise<Slots[]> {
  const { rows } = await sql<Slots>`
    select ${slotColumns} from ledger_batches l
    where l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)} and l.batch_no = ${no}
    order by l.place`.execute(db)
  return rows
}

/** Finds the rows of a campaign that may hold any of these devices, with the devices of each row. `ids` must not be empty. */
export async function findRowsOfDevices(
  db: Db,
  { day, campaignId, ids }: { day: string; campaignId: string; ids: string[] },
): Promise<(Slots & { devices: Buffer })[]> {
  const inOrder = ids.map(idBytes).toSorted((one, other) => one.compare(other))
  const { rows } = await sql<Slots & { devices: Buffer }>`
    select ${slotColumns}, l.devices from ledger_batches l
    where l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)} and l.first_id is not null
      and l.last_id >= ${inOrder[0]} and l.first_id <= ${inOrder.at(-1)}
    union all
    select ${slotColumns}, l.devices from unnest(${inOrder}::bytea[]) as asked(id) cross join lateral (
      select * from ledger_batches l
      where l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)} and l.first_id is null and l.devices = asked.id
      offset 0
    ) as l`.execute(db)
  return rows
}
