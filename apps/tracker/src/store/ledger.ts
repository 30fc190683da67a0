import { sql } from 'kysely'
import type { Slots } from '../core/slots.ts'
import type { Db } from './tables.ts'

/** Ids are kept as 12 bytes. */
export const idBytes = (id: string): Buffer => Buffer.from(id, 'hex')

export type BatchKey = { campaignId: string; no: number }

/**
 * A row as it is now. `batch` is the index of its batch in what was asked. `listened` is the version of what is known of its app's listeners, -1 where nothing is, and
 * `heard` the types of events that they listen to. `devices` and `users` are there when somebody listens to what was asked.
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
 * The rows of batches of one day, each batch by its key, in the order given. `types`: of events that may be announced of it, separated by
 * spaces. Batches that are past the retention, of deleted apps or unknown have no rows. `at`: the database's time.
 */
export async function readRows(
  db: Db,
  day: string,
  batches: (BatchKey & { appId: string; types: string })[],
  retentionDays: number,
): Promise<ReadRow[]> {
  const asked = batches.map(({ campaignId, no, appId, types }, batch) => ({ batch, id: campaignId, no, app: appId, types }))
  const { rows } = await sql<ReadRow>`
    select told.batch, now() as at, coalesce(who.version, -1) as listened, who.event_types as heard, ${slotColumns},
      case when told.types && who.event_types then l.devices end as devices, case when told.types && who.event_types then l.users end as users
    from (
      select batch, decode(id, 'hex') as id, no, app, string_to_array('* ' || types, ' ') as types
      from json_to_recordset(${JSON.stringify(asked)}::json) as a(batch int, id text, no int, app text, types text)
    ) as told
    cross join lateral (
      select * from ledger_batches l
      where l.day = ${day}::date and l.day >= (now() at time zone 'utc')::date - ${retentionDays}::int and l.campaign_id = told.id and l.batch_no = told.no
      order by l.place offset 0
    ) as l
    left join lateral (select * from listeners where listeners.app_id = told.app offset 0) as who on true`.execute(db)
  return rows
}

/** Of these batches' apps and days, those for which nothing is written: deleted apps, and days past the retention. */
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

/** The slots of one batch. */
export async function findRows(db: Db, { day, campaignId, no }: BatchKey & { day: string }): Promise<Slots[]> {
  const { rows } = await sql<Slots>`
    select ${slotColumns} from ledger_batches l
    where l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)} and l.batch_no = ${no}
    order by l.place`.execute(db)
  return rows
}

/** The rows of a campaign that may hold any of these devices, with their devices; `ids` is not empty. */
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
