import type { EngagementKind } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import { sql } from 'kysely'
import type { CampaignTally } from '../core/tally.ts'
import type { Db } from './tables.ts'

const engagementColumns = ['delivered', 'opened', 'clicked', 'dismissed'] as const satisfies readonly EngagementKind[]
const counted = [...outcomes, ...engagementColumns]
const shownColumns = [
  'campaign_id',
  'app_id',
  'day',
  'queued_ios',
  'queued_android',
  'queued_web',
  'settled_ios',
  'settled_android',
  'settled_web',
  'fanned_out_at',
  'settled_at',
  ...counted,
] as const

/** How counters move, as statements of migrations/0090 take it. */
export const movesOf = (moves: Map<string, CampaignTally>): string =>
  JSON.stringify([...moves].map(([campaignId, tally]) => ({ campaign_id: campaignId, ...tally })))

/** The first day that the ledger keeps. */
const firstDay = (retentionDays: number) => sql<string>`(now() at time zone 'utc')::date - ${retentionDays}::int`

/** The campaigns that the ledger still knows: not older than its retention, nor of a deleted app. */
export const findKept = (db: Db, campaignIds: string[], retentionDays: number) =>
  db
    .selectFrom('counters')
    .select(shownColumns)
    .select('test')
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .where('day', '>=', firstDay(retentionDays))
    .where((where) =>
      where.not(where.exists(where.selectFrom('erased_apps').select('app_id').whereRef('erased_apps.app_id', '=', 'counters.app_id'))),
    )
    .execute()

export const findCounters = (db: Db, appId: string, campaignIds: string[]) =>
  db
    .selectFrom('counters')
    .select(shownColumns)
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .where('app_id', '=', appId)
    .execute()

export type CampaignPlace = { day: string; campaignId: string }
export type ActiveCampaign = CampaignPlace & { queued: number }

/**
 * Looks at the next `limit` campaigns, newest day first, and answers those that are active: of the last two days, or without an outcome
 * for every push. `examinedTo` is undefined at the end.
 */
export async function findActive(
  db: Db,
  { after, limit, retentionDays }: { after: CampaignPlace | undefined; limit: number; retentionDays: number },
): Promise<{ active: ActiveCampaign[]; examinedTo: CampaignPlace | undefined }> {
  const { rows } = await sql<ActiveCampaign & { isActive: boolean }>`
    select day, campaign_id as "campaignId", queued_ios + queued_android + queued_web as queued,
      settled_at is null or day >= ${firstDay(2)} as "isActive"
    from counters
    where day >= ${firstDay(retentionDays)} ${after ? sql`and (day, campaign_id) < (${after.day}::date, ${after.campaignId})` : sql``}
    order by day desc, campaign_id desc
    limit ${limit}`.execute(db)
  return { active: rows.filter(({ isActive }) => isActive), examinedTo: rows.length < limit ? undefined : rows.at(-1) }
}

/** The next campaigns of an app in the order of their ids, by day, the earliest first. */
export async function findCampaignsOf(db: Db, appId: string, limit: number): Promise<{ day: string; campaignIds: string[] }[]> {
  const { rows } = await sql<{ day: string; campaignIds: string[] }>`
    select day, array_agg(campaign_id order by campaign_id) as "campaignIds"
    from (select day, campaign_id from counters where app_id = ${appId} order by campaign_id limit ${limit}) as next
    group by day order by day`.execute(db)
  return rows
}

/** Locks counters rows, in the order of their ids: no outcome and no report of these campaigns commits meanwhile. */
export const lockCounters = (db: Db, campaignIds: string[]) =>
  sql`select from counters where campaign_id = any(${campaignIds}::text[]) order by campaign_id for update`.execute(db)

/** Deletes counters, with their variants, codes and curves and what is still to be told of them. The caller holds the rows. Answers how many. */
export async function deleteCounters(db: Db, campaignIds: string[]): Promise<number> {
  const these = sql<string>`any(${campaignIds})`
  await db.deleteFrom('settlements').where('campaign_id', '=', these).execute()
  await db.deleteFrom('variant_counters').where('campaign_id', '=', these).execute()
  await db.deleteFrom('campaign_codes').where('campaign_id', '=', these).execute()
  await db.deleteFrom('curve_steps').where('campaign_id', '=', these).execute()
  await db.deleteFrom('counters').where('campaign_id', '=', these).execute()
  return campaignIds.length
}

/** Deletes counters past retention, at most 1,000 campaigns at once; answers how many. */
export async function deleteOldCounters(db: Db, retentionDays: number): Promise<number> {
  const { rows } = await sql`
    with old as (
      select campaign_id from counters where day < (now() at time zone 'utc')::date - ${retentionDays}::int
      order by campaign_id limit 1000 for update skip locked
    ), variants as (
      delete from variant_counters using old where variant_counters.campaign_id = old.campaign_id
    ), codes as (
      delete from campaign_codes using old where campaign_codes.campaign_id = old.campaign_id
    ), curves as (
      delete from curve_steps using old where curve_steps.campaign_id = old.campaign_id
    )
    delete from counters using old where counters.campaign_id = old.campaign_id returning counters.campaign_id`.execute(db)
  return rows.length
}
