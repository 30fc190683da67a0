import type { Attempt } from '@herald/contracts/outcome'
import { sql } from 'kysely'
import type { CodeMove, HourMove } from '../core/hours.ts'
import type { Slots } from '../core/slots.ts'
import type { CampaignTally, VariantTally } from '../core/tally.ts'
import { asJson, type AnnouncementRow } from './announcements.ts'
import { movesOf, variantMovesOf } from './counters.ts'
import type { BatchKey } from './ledger.ts'
import { codeMovesOf, hourMovesOf } from './series.ts'
import type { Db } from './tables.ts'

/**
 * The outcomes of one day that are committed together. `filled` are rows with their new slots; `was` says how many of a row's slots were filled when
 * it was read.
 */
export type Outcomes = {
  day: string
  /** The apps, each with the version of its row of `listeners` that was read. */
  listened: Map<string, number>
  filled: (BatchKey & { row: Slots; was: number })[]
  /** For pushes that have just ended and were attempted before: the provider's answers to their earlier attempts. */
  retried: (BatchKey & { places: number[]; trail: Attempt[] })[]
  announcements: AnnouncementRow[]
  byCampaign: Map<string, CampaignTally>
  byVariant: VariantTally[]
  hours: HourMove[]
  codes: CodeMove[]
  /** The slot of the present hour in which these outcomes are counted (migrations/0105). */
  slot: number
}

/** The database's error code when a row of the ledger or of `listeners` has changed since it was read (migrations/0090). */
const notAsRead = 'HR001'

/**
 * Writes the outcomes of one day in one statement, all of them or none. Gives the campaigns that the statement settles. Undefined, and nothing is
 * written, when a row of the ledger or of `listeners` has changed since it was read.
 */
export async function writeOutcomes(
  db: Db,
  { day, listened, filled, retried, announcements, byCampaign, byVariant, hours, codes, slot }: Outcomes,
): Promise<string[] | undefined> {
  const apps = [...listened].map(([id, version]) => ({ id, version }))
  const changed = filled.map(({ campaignId, no, was, row: { place, slots, ends, sent, failed, skipped } }) => {
    return { campaign_id: campaignId, batch_no: no, place, was, slots: slots.toString('hex'), ends, sent, failed, skipped }
  })
  const outcomes = sql`
    ${day}::date, ${JSON.stringify(apps)}::json, ${JSON.stringify(changed)}::json, ${asJson(announcements)}::json,
    ${variantMovesOf(byVariant)}::json, ${movesOf(byCampaign)}::json`
  const attempts = retried.map(({ campaignId, no, places, trail }) => ({ campaign_id: campaignId, batch_no: no, places, trail }))
  try {
    const written =
      attempts.length === 0 ? sql`write_outcomes(${outcomes})` : sql`write_retried_outcomes(${outcomes}, ${JSON.stringify(attempts)}::json)`
    // `written` is an argument of move_series and is evaluated first, so the hours are written last: many campaigns share those rows. When `hours` is
    // empty, as for tests, move_series is not called.
    const series = sql`move_series(
      ${written}, ${hourMovesOf(hours)}::json, ${codes.length > 0 ? codeMovesOf(codes) : null}::json, ${slot}::smallint
    )`
    const { rows } = await sql<{ settled: string[] }>`select ${hours.length > 0 ? series : written} as settled`.execute(db)
    return rows[0]?.settled
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === notAsRead) return undefined
    throw error
  }
}
