import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { engagementKinds, type EngagementKind, type EngagementLetter } from '@herald/contracts/event'
import type { Platform } from '@herald/contracts/platform'
import type { Recounted } from '../core/recount.ts'
import { countSlots, type Slots } from '../core/slots.ts'
import { idBytes } from './ledger.ts'
import type { Db, Tables } from './tables.ts'

/** Runs reads in one snapshot, so that the counters and rows that are compared are those of one moment. A recount uses one core at most. */
export const inOneSnapshot = <Answer>(db: Db, work: (snapshot: Kysely<Tables>) => Promise<Answer>): Promise<Answer> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`set local max_parallel_workers_per_gather = 0`.execute(trx)
      // Counting the reports of a campaign of ten million pushes takes seconds, so the usual limit of 2 s is too short.
      await sql`set local statement_timeout = '18s'`.execute(trx)
      return work(trx)
    })

/**
 * Reads how many rows of the counters and of the ledger were ever written, as Postgres counts them. A commit is in the number after ten seconds at
 * the latest. Undefined where Postgres does not count (`track_counts`).
 */
export async function readWrites(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ writes: number | null }>`
    select case when current_setting('track_counts')::bool then sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint end as writes
    from pg_stat_user_tables
    where schemaname = current_schema() and relname ~ '^(counters|variant_counters|ledger_|engagements)'`.execute(db)
  return rows[0]?.writes ?? undefined
}

/** What a campaign's rows say: how many pushes they hold, also those without an outcome, and how many slots and reports of each variant and kind. */
export type CampaignRecount = { queued: number; rows: Recounted[] }
type Campaign = { day: string; campaignId: string }

/** Counts the filled slots and the reports of these campaigns. A campaign without rows is left out. */
export async function recount(db: Db, campaigns: Campaign[]): Promise<Map<string, CampaignRecount>> {
  const counted = new Map<string, CampaignRecount>()
  const of = (campaignId: string): CampaignRecount => {
    const known = counted.get(campaignId) ?? { queued: 0, rows: [] }
    counted.set(campaignId, known)
    return known
  }
  for (let from = 0; from < campaigns.length; from += campaignsAtOnce) {
    for await (const row of slotsOf(db, campaigns.slice(from, from + campaignsAtOnce))) {
      const one = of(row.campaignId)
      one.queued += row.size
      for (const { end, count } of countSlots(row)) add(one.rows, { variant: end.variant, kind: end.outcome, count })
    }
  }
  for (const { campaignId, ...row } of await countEngagements(db, campaigns)) add(of(campaignId).rows, row)
  return counted
}

function add(rows: Recounted[], { variant, kind, count }: Recounted): void {
  const known = rows.find((row) => row.variant === variant && row.kind === kind)
  if (known) known.count += count
  else rows.push({ variant, kind, count })
}

/** One statement reads the rows of at most this many campaigns, so that a send to one device costs a look-up in the index and not a statement. */
const campaignsAtOnce = 500
/** At most this many rows of a campaign are read at a time, at ~1 kB each. A campaign of a million pushes has two thousand. */
const rowsAtOnce = 1_000

type RecountedRow = Slots & { campaignId: string; no: number; platform: Platform }

/** Reads the rows of these campaigns, those of each campaign in the order of batch and place. */
export async function* slotsOf(db: Db, campaigns: Campaign[]): AsyncGenerator<RecountedRow> {
  let left = campaigns.map((campaign) => ({ ...campaign, no: 0, place: 0 }))
  while (left.length > 0) {
    const days = left.map(({ day }) => day)
    const { rows } = await sql<RecountedRow>`
      select encode(campaign.campaign_id, 'hex') as "campaignId", l.*
      from unnest(
        ${days}::date[], ${left.map(({ campaignId }) => idBytes(campaignId))}::bytea[], ${left.map(({ no }) => no)}::int[],
        ${left.map(({ place }) => place)}::smallint[]
      ) with ordinality as campaign(day, campaign_id, after_no, after_place, ordinal)
      cross join lateral (
        select batch_no as no, place, size, slots, ends, sent, failed, skipped, platform from ledger_batches l
        where l.day = campaign.day and l.day = any(${[...new Set(days)]}::date[]) and l.campaign_id = campaign.campaign_id
          and (batch_no, place) > (campaign.after_no, campaign.after_place)
        order by batch_no, place limit ${rowsAtOnce}
      ) l
      order by campaign.ordinal, l.no, l.place`.execute(db)
    yield* rows
    const read = Map.groupBy(rows, ({ campaignId }) => campaignId)
    left = left.flatMap((campaign) => {
      const ofCampaign = read.get(campaign.campaignId) ?? []
      const last = ofCampaign.at(-1)
      return last && ofCampaign.length === rowsAtOnce ? [{ ...campaign, no: last.no, place: last.place }] : []
    })
  }
}

async function countEngagements(db: Db, campaigns: Campaign[]): Promise<(Recounted & { campaignId: string; kind: EngagementKind })[]> {
  const { rows } = await sql<Omit<Recounted, 'kind'> & { campaignId: string; kind: EngagementLetter }>`
    select encode(campaign.campaign_id, 'hex') as "campaignId", counted.*
    from unnest(${campaigns.map(({ day }) => day)}::date[], ${campaigns.map(({ campaignId }) => idBytes(campaignId))}::bytea[])
      as campaign(day, campaign_id)
    cross join lateral (
      select variant, kind, count(*)::int as count from engagements
      where engagements.day = campaign.day and engagements.campaign_id = campaign.campaign_id group by variant, kind
    ) counted`.execute(db)
  return rows.map((row) => ({ ...row, kind: engagementKinds[row.kind] }))
}
