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

/** What is committed together. `filled`: rows with their new slots, and in `was` how many of their slots were filled when they were read. */
export type Outcomes = {
  day: string
  /** The apps, each with the version of its listeners that was read. */
  listened: Map<string, number>
  filled: (BatchKey & { row: Slots; was: number })[]
  /** Of the pushes that ended now and were tried before: the answers to their earlier tries. */
  retried: (BatchKey & { places: number[]; trail: Attempt[] })[]
  announcements: AnnouncementRow[]
  byCampaign: Map<string, CampaignTally>
  byVariant: VariantTally[]
  hours: HourMove[]
  codes: CodeMove[]
  /** Which of an app's rows of the present hour move. */
  slot: number
}

/** The database's error when a row or a listener has changed since it was read (migrations/0090). */
const notAsRead = 'HR001'

/**
 * Writes the outcomes of one day in one statement, all of them or none. Gives the campaigns that are settled by it; undefined when a row or a listener
 * has changed since it was read: then nothing is written.
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
    // The hours come last, since many campaigns share these rows: the arguments of the call are evaluated before it. Tests are not counted there.
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
