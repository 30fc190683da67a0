import type { EngagementKind } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import { perPlatform, platformColumns, platforms, type Platform } from '@herald/contracts/platform'
import { sql, type RawBuilder } from 'kysely'
import { countsOf } from '../core/stats.ts'
import type { CampaignTally, VariantTally } from '../core/tally.ts'
import type { Db } from './tables.ts'

const engagementColumns = ['delivered', 'opened', 'clicked', 'dismissed'] as const satisfies readonly EngagementKind[]
const counted = [...outcomes, ...engagementColumns]
const shownColumns = [
  ...([
    'campaign_id as campaignId',
    'app_id as appId',
    'day',
    'test',
    'silent',
    'fanned_out_at as fannedOutAt',
    'settled_at as settledAt',
  ] as const),
  ...platformColumns('queued'),
  ...platformColumns('settled'),
  ...counted,
] as const

const selectCounters = (db: Db) => db.selectFrom('counters').select(shownColumns)
type Selected = Awaited<ReturnType<ReturnType<typeof selectCounters>['executeTakeFirstOrThrow']>>

/** The pushes that a campaign has queued on all platforms, as an SQL expression. */
export const allQueued = sql<number>`${sql.raw(platformColumns('queued').join(' + '))}`

/** Gives the counters of a row. `ended` counts the pushes that have an outcome. */
const toCounters = ({ campaignId, appId, day, test, silent, fannedOutAt, settledAt, ...row }: Selected) => ({
  ...{ campaignId, appId, day, test, silent, fannedOutAt, settledAt },
  ...countsOf(row),
  queued: perPlatform((platform) => row[`queued_${platform}`]),
  ended: perPlatform((platform) => row[`settled_${platform}`]),
})
export type Counters = ReturnType<typeof toCounters>

/** Gives what is added to counters of campaigns as JSON for `move_counters` (migrations/0200). */
export const movesOf = (moves: Map<string, CampaignTally>): string =>
  JSON.stringify(
    [...moves].map(([campaignId, { ended, ...tally }]) => ({
      campaign_id: campaignId,
      ...tally,
      ...Object.fromEntries(platforms.map((platform) => [`settled_${platform}`, ended?.[platform]])),
    })),
  )

/** Gives what is added to counters of variants, sorted by key, as JSON for `move_variant_counters` (migrations/0200). */
export const variantMovesOf = (tallies: VariantTally[]): string =>
  JSON.stringify(
    tallies
      .toSorted((one, other) => (`${one.campaignId} ${one.variant}` < `${other.campaignId} ${other.variant}` ? -1 : 1))
      .map(({ campaignId, variant, tally }) => ({ campaign_id: campaignId, variant, ...tally })),
  )

/** The first day that is still within the retention, as an SQL expression. */
const firstDay = (retentionDays: number) => sql<string>`(now() at time zone 'utc')::date - ${retentionDays}::int`

/** Finds the counters of those campaigns that the ledger still keeps: they are within its retention, and their app is not deleted. */
export async function findKept(db: Db, campaignIds: string[], retentionDays: number): Promise<Counters[]> {
  const rows = await selectCounters(db)
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .where('day', '>=', firstDay(retentionDays))
    .where((where) =>
      where.not(where.exists(where.selectFrom('erased_apps').select('app_id').whereRef('erased_apps.app_id', '=', 'counters.app_id'))),
    )
    .execute()
  return rows.map(toCounters)
}

export async function findCounters(db: Db, appId: string, campaignIds: string[], platform?: Platform): Promise<Counters[]> {
  const rows = await selectCounters(db)
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .where('app_id', '=', appId)
    .$if(platform !== undefined, (query) => query.where(sql.ref(`queued_${platform}`), '>', 0))
    .execute()
  return rows.map(toCounters)
}

export const findVariantCounters = (db: Db, campaignIds: string[]) =>
  db
    .selectFrom('variant_counters')
    .select(['campaign_id as campaignId', 'variant', ...counted])
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .orderBy('campaign_id')
    .orderBy('variant')
    .execute()

export type CampaignPlace = { day: string; campaignId: string }
export type ActiveCampaign = CampaignPlace & { queued: number }

/**
 * Reads the next `limit` campaigns, newest day first, and gives the active ones: of today and the two days before, or unsettled. `examinedTo` is
 * where the next call begins, undefined when there are no more campaigns.
 */
export async function findActive(
  db: Db,
  { after, limit, retentionDays }: { after: CampaignPlace | undefined; limit: number; retentionDays: number },
): Promise<{ active: ActiveCampaign[]; examinedTo: CampaignPlace | undefined }> {
  const { rows } = await sql<ActiveCampaign & { isActive: boolean }>`
    select day, campaign_id as "campaignId", ${allQueued} as queued,
      settled_at is null or day >= ${firstDay(2)} as "isActive"
    from counters
    where day >= ${firstDay(retentionDays)} ${after ? sql`and (day, campaign_id) < (${after.day}::date, ${after.campaignId})` : sql``}
    order by day desc, campaign_id desc
    limit ${limit}`.execute(db)
  return { active: rows.filter(({ isActive }) => isActive), examinedTo: rows.length < limit ? undefined : rows.at(-1) }
}

/** Finds the first `limit` campaigns of an app in the order of their ids, and groups them by day, the earliest day first. */
export async function findCampaignsOf(db: Db, appId: string, limit: number): Promise<{ day: string; campaignIds: string[] }[]> {
  const { rows } = await sql<{ day: string; campaignIds: string[] }>`
    select day, array_agg(campaign_id order by campaign_id) as "campaignIds"
    from (select day, campaign_id from counters where app_id = ${appId} order by campaign_id limit ${limit}) as next
    group by day order by day`.execute(db)
  return rows
}

/** Locks the counters of campaigns in the order of their ids. No outcome and no report of these campaigns can commit until the transaction ends. */
export const lockCounters = (db: Db, campaignIds: string[]) =>
  sql`select from counters where campaign_id = any(${campaignIds}::text[]) order by campaign_id for update`.execute(db)

/**
 * Deletes the counters of these campaigns, with variants, codes, curves and settlements, and gives the number of the campaigns. The caller has locked
 * the counters.
 */
export async function deleteCounters(db: Db, campaignIds: string[]): Promise<number> {
  const these = sql<string>`any(${campaignIds})`
  await db.deleteFrom('settlements').where('campaign_id', '=', these).execute()
  await db.deleteFrom('variant_counters').where('campaign_id', '=', these).execute()
  await db.deleteFrom('campaign_codes').where('campaign_id', '=', these).execute()
  await db.deleteFrom('curve_steps').where('campaign_id', '=', these).execute()
  await db.deleteFrom('counters').where('campaign_id', '=', these).execute()
  return campaignIds.length
}

/** Deletes the counters of at most 1,000 campaigns past the retention, and gives the number of the campaigns. */
export const deleteOldCounters = (db: Db, retentionDays: number): Promise<number> =>
  deleteAll(db, sql`select campaign_id from counters where ${isOlder(retentionDays)}`)

/**
 * Deletes the counters of at most 1,000 notifications past their retention, like `deleteOldCounters`. An id begins with the second in which it was
 * made, so the primary key leads to those that can be old enough.
 */
export const deleteOldNotifications = (db: Db, retentionDays: number): Promise<number> =>
  deleteAll(
    db,
    sql`select campaign_id from counters where transactional and ${isOlder(retentionDays)}
      and campaign_id < lpad(to_hex(extract(epoch from now() - ${retentionDays}::int * interval '1 day')::bigint), 8, '0')`,
  )

const isOlder = (days: number) => sql`day < (now() at time zone 'utc')::date - ${days}::int`

/** Deletes counters, variants, codes and curves of at most 1,000 of these campaigns, and gives the number of the campaigns. */
async function deleteAll(db: Db, campaigns: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql`
    with old as (
      ${campaigns} order by campaign_id limit 1000 for update skip locked
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
