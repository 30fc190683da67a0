import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { NewRow, Slots } from '../core/slots.ts'
import type { Db } from './tables.ts'

/** Ids are kept as 12 bytes. */
export const idBytes = (id: string): Buffer => Buffer.from(id, 'hex')

export type NewLedgerRow = NewRow & { day: string; campaignId: string; no: number; appId: string; platform: Platform; slots: Buffer }

/**
 * Writes rows of batches that were reported. Those that are there stay as they are, whatever was filled in meanwhile; a day past the retention
 * has no partition, and gets no rows.
 */
export async function insertRows(db: Db, rows: NewLedgerRow[], retentionDays: number): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into ledger_batches (day, batch_no, place, size, campaign_id, app_id, platform, first_id, last_id, devices, users, slots)
    select * from unnest(
      ${rows.map(({ day }) => day)}::date[], ${rows.map(({ no }) => no)}::int[], ${rows.map(({ place }) => place)}::smallint[],
      ${rows.map(({ size }) => size)}::smallint[], ${rows.map(({ campaignId }) => idBytes(campaignId))}::bytea[],
      ${rows.map(({ appId }) => idBytes(appId))}::bytea[], ${rows.map(({ platform }) => platform)}::text[],
      ${rows.map(({ firstId }) => firstId)}::bytea[], ${rows.map(({ lastId }) => lastId)}::bytea[],
      ${rows.map(({ devices }) => devices)}::bytea[], ${rows.map(({ users }) => users)}::bytea[], ${rows.map(({ slots }) => slots)}::bytea[]) as told(day)
    where told.day >= (now() at time zone 'utc')::date - ${retentionDays}::int
    on conflict do nothing`.execute(db)
}

export type BatchKey = { campaignId: string; no: number }

/** A row that is locked: `ctid` is its place in the table until this transaction writes it. */
export type LockedRow = Slots & { campaignId: string; no: number; ctid: string; at: Date; devices: Buffer | null; users: Buffer | null }

const slotColumns = sql`l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped`

/**
 * Locks the rows of batches of one day, in the order given (by campaign and number, as every writer does), each batch by its key. `isAnnounced`: the
 * ids of its pushes are answered too. Batches that are past the retention, of deleted apps or unknown have no rows. `at`: the database's time.
 */
export async function lockRows(
  db: Db,
  day: string,
  batches: (BatchKey & { isAnnounced: boolean })[],
  retentionDays: number,
): Promise<LockedRow[]> {
  const { rows } = await sql<LockedRow>`
    select encode(told.campaign_id, 'hex') as "campaignId", told.batch_no as no, now() as at, row.*
    from unnest(
      ${batches.map(({ campaignId }) => idBytes(campaignId))}::bytea[], ${batches.map(({ no }) => no)}::int[],
      ${batches.map(({ isAnnounced }) => isAnnounced)}::bool[]
    ) as told(campaign_id, batch_no, is_announced)
    cross join lateral (
      select l.ctid::text as ctid, ${slotColumns},
        case when told.is_announced then l.devices end as devices, case when told.is_announced then l.users end as users
      from ledger_batches l
      where l.day = ${day}::date and l.day >= (now() at time zone 'utc')::date - ${retentionDays}::int
        and l.campaign_id = told.campaign_id and l.batch_no = told.batch_no
      order by l.place for no key update
    ) as row`.execute(db)
  return rows
}

/** Writes the slots of rows that this transaction has locked, all of them or none. */
export async function updateRows(db: Db, day: string, rows: (Slots & { ctid: string })[]): Promise<void> {
  const sums = (outcome: OutcomeKind) => rows.map((row) => row[outcome])
  const updated = await sql`
    update ledger_batches l set slots = told.slots, ends = told.ends, sent = told.sent, failed = told.failed, skipped = told.skipped
    from unnest(
      ${rows.map(({ ctid }) => ctid)}::tid[], ${rows.map(({ slots }) => slots)}::bytea[], ${rows.map(({ ends }) => ends)}::text[],
      ${sums('sent')}::smallint[], ${sums('failed')}::smallint[], ${sums('skipped')}::smallint[]
    ) as told(ctid, slots, ends, sent, failed, skipped)
    where l.day = ${day}::date and l.ctid = told.ctid`.execute(db)
  if (Number(updated.numAffectedRows) !== rows.length) throw new Error('a row of the ledger that is locked was not where it was read')
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
