import { perPlatform, type Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { NewRow } from '../core/slots.ts'
import type { BatchKey } from './ledger.ts'
import type { Db } from './tables.ts'

/**
 * What a fan-out has queued so far. `hasRanges`: this report has a batch of more than 16 pushes, whose row is found by the range of its devices. The
 * counters remember it for the campaign.
 */
export type Totals = {
  campaignId: string
  appId: string
  day: string
  name: string
  transactional: boolean
  test?: true | undefined
  byPlatform: Record<Platform, number>
  hasRanges: boolean
  /** True when the fan-out has ended. */
  fannedOut: boolean
}
export type NewLedgerRow = NewRow & BatchKey & { day: string; appId: string; platform: Platform }

/** A campaign whose fan-out has just ended. `heard` are the types of events that the app's endpoints ask for. */
export type EndedFanOut = {
  campaignId: string
  appId: string
  name: string
  transactional: boolean
  byPlatform: Record<Platform, number>
  isSettled: boolean
  at: Date
  heard: string[]
}

/**
 * Raises totals of queued pushes and writes rows of the ledger, in one statement (migrations/0200). `reports`: each campaign once, sorted by id.
 * Gives the campaigns whose fan-out ended now, if settled or an endpoint asks for events.
 */
export async function writeReport(
  db: Db,
  reports: Totals[],
  rows: NewLedgerRow[],
  { retentionDays, unheard, stripe = 0 }: { retentionDays: number; unheard: boolean; stripe?: number },
): Promise<EndedFanOut[] | undefined> {
  // Totals only grow, a ledger's row that exists stays, and a test raises no counters of the hour. Nothing is written for deleted apps, and no row
  // past the retention.
  const totals = reports.map(({ campaignId, appId, day, name, transactional, test, byPlatform, hasRanges, fannedOut }) => {
    return {
      campaign_id: campaignId,
      app_id: appId,
      day,
      name,
      transactional,
      test,
      slot: stripe,
      ...byPlatform,
      has_ranges: hasRanges,
      ended: fannedOut,
    }
  })
  const ledger = rows.map(({ campaignId, appId, no, firstId, lastId, ...row }) => {
    return { ...row, campaign_id: campaignId, app_id: appId, batch_no: no, first_id: firstId, last_id: lastId }
  })
  // With `unheard` the caller has no announcement ready: when a fan-out ends and an endpoint of its app asks for events, the function writes nothing
  // and gives null.
  const written = await sql<{ ended: { campaign: CountersRow; at: string; heard: string[] | null }[] | null }>`
    select write_report(${JSON.stringify(totals)}::json, ${JSON.stringify(ledger)}::json, ${retentionDays}, ${unheard}) as ended`.execute(
    db,
  )
  return written.rows[0]?.ended?.map(({ campaign, at, heard }) => ({
    campaignId: campaign.campaign_id,
    appId: campaign.app_id,
    name: campaign.name,
    transactional: campaign.transactional,
    byPlatform: perPlatform((platform) => campaign[`queued_${platform}`]),
    isSettled: campaign.settled_at !== null,
    at: new Date(at),
    heard: heard ?? [],
  }))
}

/** What a report may say of its send that its counters keep. */
export const counterMarks = ['test', 'silent', 'inbox'] as const
export type Mark = (typeof counterMarks)[number]

/** Marks these campaigns' counters, which this transaction has written before. */
export const markCounters = (trx: Db, campaignIds: string[], as: Mark) =>
  trx
    .updateTable('counters')
    .set({ [as]: true })
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .where(as, '=', false)
    .execute()

/** A row of `counters` as Postgres gives it in JSON. */
type CountersRow = Record<`queued_${Platform}`, number> & {
  campaign_id: string
  app_id: string
  name: string
  transactional: boolean
  settled_at: string | null
}
