import type { Attempt } from '@herald/contracts/outcome'
import { sql } from 'kysely'
import type { CodeMove, HourMove } from '../core/hours.ts'
import type { Slots } from '../core/slots.ts'
import type { CampaignTally, VariantTally } from '../core/tally.ts'
import { asJson, type AnnouncementRow } from './announcements.ts'
import { movesOf, variantMovesOf } from './counters.ts'
import { isWithoutPartition, type BatchKey } from './ledger.ts'
import { partitionName } from './partitions.ts'
import { codeMovesOf, hourMovesOf } from './series.ts'
import type { Db } from './tables.ts'

/**
 * The outcomes of one day that are committed together. `filled` are rows with their new slots; `was` says how many of a row's slots were filled when
 * it was read.
 */
export type Outcomes = {
  day: string
  /** The apps of these outcomes, each with the version that its row of `listeners` (which events its webhook endpoints ask for) had when it was read. */
  listened: Map<string, number>
  filled: (BatchKey & { row: Slots; was: number })[]
  /** For pushes that have just ended and were attempted before: the provider's answers to their earlier attempts. */
  retried: (BatchKey & { places: number[]; trail: Attempt[] })[]
  announcements: AnnouncementRow[]
  byCampaign: Map<string, CampaignTally>
  byVariant: VariantTally[]
  hours: HourMove[]
  codes: CodeMove[]
  /** The stripe of the present hour in which these outcomes are counted (`slot` of migrations/0200). */
  stripe: number
}

/** The database's error code when a row of the ledger or of `listeners` has changed since it was read (migrations/0200). */
const notAsRead = 'HR001'

/**
 * Writes the outcomes of one day in one statement, on a connection that keeps its plan. Gives the campaigns that it settles. Undefined, with nothing
 * written, when a row of the ledger or `listeners` changed since its reading.
 */
export async function writeOutcomes(
  db: Db,
  { day, listened, filled, retried, announcements, byCampaign, byVariant, hours, codes, stripe }: Outcomes,
): Promise<string[] | undefined> {
  const apps = [...listened].map(([id, version]) => ({ id, version }))
  let from = 1
  const changed = filled.map(({ campaignId, no, was, row: { place, slots, ends, sent, failed, skipped } }) => {
    const one = { campaign_id: campaignId, batch_no: no, place, was, first_byte: from, bytes: slots.length, ends, sent, failed, skipped }
    from += slots.length
    return one
  })
  const ledger = sql.id(partitionName('ledger_batches', day))
  const trails = sql.id(partitionName('ledger_attempts', day))
  // A row is as it was read when as many of its slots are filled, since a slot is filled once. Rows are locked in the order given, that of their key.
  const fill = sql`
    told as materialized (
      select * from json_to_recordset(${JSON.stringify(changed)}::json) as f(
        campaign_id text, batch_no int, place smallint, was int, first_byte int, bytes int, ends text, sent smallint, failed smallint, skipped smallint)
    ), locked as materialized (
      select there.ctid, told.* from told cross join lateral (
        select l.ctid from ${ledger} l
        where l.campaign_id = decode(told.campaign_id, 'hex') and l.batch_no = told.batch_no and l.place = told.place and l.day = ${day}::date
          and l.sent + l.failed + l.skipped = told.was
        for no key update
      ) as there
    ), filled as (
      update ${ledger} l set slots = substring(${Buffer.concat(filled.map(({ row }) => row.slots))}::bytea from locked.first_byte for locked.bytes),
        ends = locked.ends, sent = locked.sent, failed = locked.failed, skipped = locked.skipped
      from locked where l.ctid = locked.ctid
      returning 1
    )`
  const attempts = retried.map(({ campaignId, no, places, trail }) => ({ campaign_id: campaignId, batch_no: no, places, trail }))
  // Written with the outcomes or not at all.
  const keep = sql`, kept as (
      insert into ${trails} (day, campaign_id, batch_no, place, trail)
      select ${day}::date, decode(a.campaign_id, 'hex'), a.batch_no, place.value::text::smallint, a.trail
      from json_to_recordset(${JSON.stringify(attempts)}::json) as a(campaign_id text, batch_no int, places json, trail jsonb)
        cross join lateral json_array_elements(a.places) as place(value)
      order by a.campaign_id, a.batch_no, 4
      on conflict do nothing
    )`
  const counted = sql`count_outcomes(
    ${JSON.stringify(apps)}::json, (select count(*) from filled), ${filled.length}::bigint, ${asJson(announcements)}::json,
    ${variantMovesOf(byVariant)}::json, ${movesOf(byCampaign)}::json)`
  try {
    // `counted` is an argument of move_series and is evaluated first, so the hours are written last: many campaigns share those rows. When `hours` is
    // empty, as for tests, move_series is not called.
    const series = sql`move_series(
      ${counted}, ${hourMovesOf(hours)}::json, ${codes.length > 0 ? codeMovesOf(codes) : null}::json, ${stripe}::smallint
    )`
    const { rows } = await sql<{ settled: string[] }>`
      with ${fill} ${attempts.length > 0 ? keep : sql``} select ${hours.length > 0 ? series : counted} as settled`.execute(db)
    return rows[0]?.settled
  } catch (error) {
    // A partition that was dropped meanwhile holds no rows any more.
    if (isWithoutPartition(error) || (error instanceof Error && 'code' in error && error.code === notAsRead)) return undefined
    throw error
  }
}
