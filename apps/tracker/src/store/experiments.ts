import type { ExperimentMetric } from '@herald/contracts/experiment-metrics'
import { sql } from 'kysely'
import type { Slots } from '../core/slots.ts'
import { allQueued } from './counters.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

/** A row of the ledger with the ids of its devices and users. */
export type WholeRow = Slots & { devices: Buffer; users: Buffer }

const rowsAtOnce = 500

/** Reads the rows of a campaign in portions, with the ids of devices and users: ~13 kB for a row of 500 pushes. */
export async function* wholeRowsOf(db: Db, { day, campaignId }: { day: string; campaignId: string }): AsyncGenerator<WholeRow> {
  let after = { no: 0, place: 0 }
  for (;;) {
    const { rows } = await sql<WholeRow & { no: number }>`
      select batch_no as no, place, size, slots, ends, sent, failed, skipped, devices, users from ledger_batches
      where day = ${day}::date and campaign_id = ${idBytes(campaignId)} and (batch_no, place) > (${after.no}::int, ${after.place}::smallint)
      order by batch_no, place limit ${rowsAtOnce}`.execute(db)
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < rowsAtOnce) return
    after = { no: last.no, place: last.place }
  }
}

/** Gives the devices that reported this about a campaign, as the ledger stores ids, in latin1. */
export async function findReporting(
  db: Db,
  { day, campaignId, kind }: { day: string; campaignId: string; kind: 'o' | 'c' },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: Buffer }>`
    select subscription_id as id from engagements
    where day = ${day}::date and campaign_id = ${idBytes(campaignId)} and kind = ${kind}::"char"`.execute(db)
  return new Set(rows.map(({ id }) => id.toString('latin1')))
}

/** Gives the users who have a conversion of this name that is attributed to a campaign, in latin1. */
export async function findConvertedUsers(
  db: Db,
  { appId, day, campaignId, name }: { appId: string; day: string; campaignId: string; name: string },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: Buffer }>`
    select user_id as id from conversion_users
    where day = ${day}::date and app_id = ${idBytes(appId)} and campaign_id = ${idBytes(campaignId)} and name = ${name}`.execute(db)
  return new Set(rows.map(({ id }) => id.toString('latin1')))
}

/** Gives the users of an app who converted between two times, attributed or not, in latin1. */
export async function findConverting(
  db: Db,
  { appId, name, from, to }: { appId: string; name: string; from: Date; to: Date },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: Buffer }>`
    select distinct user_id as id from conversions
    where app_id = ${idBytes(appId)} and name = ${name} and at >= ${from.toISOString()}::timestamptz and at <= ${to.toISOString()}::timestamptz
      and day >= (${from.toISOString()}::timestamptz at time zone 'utc')::date and day <= (${to.toISOString()}::timestamptz at time zone 'utc')::date`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id.toString('latin1')))
}

export type KeptCampaign = { campaignId: string; day: string; startedAt: Date; fannedOut: boolean; queued: number }

/** Finds a campaign that the ledger keeps. Undefined when no fan-out has reported it, it is past the retention, or it belongs to another app. */
export async function findKeptCampaign(
  db: Db,
  { appId, campaignId, retentionDays }: { appId: string; campaignId: string; retentionDays: number },
): Promise<KeptCampaign | undefined> {
  const { rows } = await sql<KeptCampaign>`
    select campaign_id as "campaignId", day, created_at as "startedAt", fanned_out_at is not null as "fannedOut",
      ${allQueued} as queued
    from counters
    where campaign_id = ${campaignId} and app_id || '' = ${appId} and day >= (now() at time zone 'utc')::date - ${retentionDays}::int`.execute(
    db,
  )
  return rows[0]
}

/** Finds the campaigns of an app, without notifications and tests, that began between two times and that the ledger keeps. At most 2,000. */
export async function findCampaignsBetween(
  db: Db,
  { appId, from, to, retentionDays }: { appId: string; from: string; to: string; retentionDays: number },
): Promise<KeptCampaign[]> {
  const { rows } = await sql<KeptCampaign>`
    select campaign_id as "campaignId", day, created_at as "startedAt", fanned_out_at is not null as "fannedOut",
      ${allQueued} as queued
    from counters
    where app_id = ${appId} and not transactional and not test and created_at >= ${from}::timestamptz and created_at <= ${to}::timestamptz
      and day >= (now() at time zone 'utc')::date - ${retentionDays}::int
      and day >= (${from}::timestamptz at time zone 'utc')::date - 1 and day <= (${to}::timestamptz at time zone 'utc')::date + 1
    limit 2001`.execute(db)
  return rows
}

const columns = { open: 'opened', click: 'clicked', conversion: 'converted' } as const satisfies Record<ExperimentMetric, string>

/** Gives the app's share of sent pushes with this event over the last 30 days; 0 when nothing was sent. */
export async function findAppRate(db: Db, appId: string, metric: ExperimentMetric): Promise<number> {
  const { rows } = await sql<{ rate: number | null }>`
    select sum(${sql.ref(columns[metric])})::float8 / nullif(sum(sent), 0) as rate from app_hours
    where app_id = ${appId} and hour >= now() - interval '30 days'`.execute(db)
  return Math.min(1, rows[0]?.rate ?? 0)
}
