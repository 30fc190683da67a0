import { engagementKinds, engagementLetters, type EngagementKind, type EngagementLetter } from '@herald/contracts/event'
import { sql } from 'kysely'
import type { HourMove } from '../core/hours.ts'
import type { ActionTally, CampaignTally, VariantTally } from '../core/tally.ts'
import { movesOf, variantMovesOf } from './counters.ts'
import { idBytes } from './ledger.ts'
import { hourMovesOf } from './series.ts'
import type { Db } from './tables.ts'

export type EngagementEntry = { day: string; campaignId: string; subscriptionId: string; kind: EngagementKind; variant: string }

/** Gives the key of a report: its push and its kind. */
export const engagementKey = (entry: { campaignId: string; subscriptionId: string; kind: EngagementKind }): string =>
  `${entry.campaignId}${entry.subscriptionId}${engagementLetters[entry.kind]}`

/** Writes reports, which are sorted by key and have each key once. Gives the database's time and the keys of the reports that are new. */
export async function insertEngagements(db: Db, entries: EngagementEntry[]): Promise<{ at: Date; inserted: Set<string> }> {
  const { rows } = await sql<{ at: Date; keys: string[] | null }>`
    with inserted as (
      insert into engagements (day, campaign_id, subscription_id, kind, variant)
      select * from unnest(
        ${entries.map(({ day }) => day)}::date[], ${entries.map(({ campaignId }) => idBytes(campaignId))}::bytea[],
        ${entries.map(({ subscriptionId }) => idBytes(subscriptionId))}::bytea[], ${entries.map(({ kind }) => engagementLetters[kind])}::"char"[],
        ${entries.map(({ variant }) => variant)}::text[])
      on conflict do nothing
      returning campaign_id, subscription_id, kind
    )
    select now() as at, array_agg(encode(campaign_id || subscription_id, 'hex') || kind::text) as keys from inserted`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the engagements answered nothing')
  return { at: row.at, inserted: new Set(row.keys ?? []) }
}

/**
 * Adds to the counters of variants and campaigns, their curves, clicks by action and the hours of their apps, in one statement (migrations/0207).
 * Throws when a campaign has no counters.
 */
export async function moveEngagements(
  db: Db,
  {
    byVariant,
    byCampaign,
    byAction,
    hours,
    stripe,
  }: { byVariant: VariantTally[]; byCampaign: Map<string, CampaignTally>; byAction: ActionTally[]; hours: HourMove[]; stripe: number },
): Promise<void> {
  await sql`
    select move_engagements(${variantMovesOf(byVariant)}::json, ${movesOf(byCampaign)}::json, ${actionMovesOf(byAction)}::json,
      ${hourMovesOf(hours)}::json, ${stripe}::smallint)`.execute(db)
}

const actionMovesOf = (tallies: ActionTally[]): string =>
  JSON.stringify(tallies.map(({ campaignId, ...of }) => ({ campaign_id: campaignId, ...of })))

/** More than a push can have, which is one report of each kind. The limit makes the planner read by key, however many reports it expects. */
const mostKinds = 10

type Push = { day: string; campaignId: string; subscriptionId: string }
export type Report = { kind: EngagementKind; at: Date }

/** Gives the kinds of reports that devices sent about these pushes, by campaign and device, in the order in which they came. */
export async function findEngagements(db: Db, pushes: Push[]): Promise<Map<string, EngagementKind[]>> {
  const reports = await findReports(db, pushes)
  return new Map([...reports].map(([key, of]) => [key, of.map(({ kind }) => kind)]))
}

/** Gives the reports that devices sent about these pushes, by campaign and device, in the order in which they came. */
export async function findReports(db: Db, pushes: Push[]): Promise<Map<string, Report[]>> {
  if (pushes.length === 0) return new Map()
  const days = pushes.map(({ day }) => day)
  const { rows } = await sql<{ key: string; kinds: EngagementLetter[]; ats: Date[] }>`
    select encode(campaign_id || subscription_id, 'hex') as key, array_agg(kind::text order by at, kind) as kinds,
      array_agg(at order by at, kind) as ats
    from unnest(${days}::date[], ${pushes.map(({ campaignId }) => idBytes(campaignId))}::bytea[],
      ${pushes.map(({ subscriptionId }) => idBytes(subscriptionId))}::bytea[])
      as push(day, campaign_id, subscription_id)
    cross join lateral (
      select kind, at from engagements
      where engagements.day = push.day and engagements.day = any(${[...new Set(days)]}::date[])
        and engagements.campaign_id = push.campaign_id and engagements.subscription_id = push.subscription_id
      limit ${mostKinds}
    ) as report
    group by campaign_id, subscription_id`.execute(db)
  return new Map(
    rows.map(({ key, kinds, ats }) => [
      key,
      kinds.map((letter, place) => ({ kind: engagementKinds[letter], at: ats[place] ?? new Date(0) })),
    ]),
  )
}
