import type { EngagementKind } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import { sql } from 'kysely'
import type { CampaignTally } from '../core/tally.ts'
import type { Db } from './tables.ts'

const engagementColumns = ['delivered', 'opened', 'clicked', 'dismissed'] as const satisfies readonly EngagementKind[]
const counted = [...outcomes, ...engagementColumns]
const moved = [...counted, 'settled_ios', 'settled_android', 'settled_web'] as const

/** `hasRanges`: it has a batch whose row is found by the range of its devices. */
export type Totals = {
  campaignId: string
  appId: string
  day: string
  name: string
  transactional: boolean
  byPlatform: { ios: number; android: number; web: number }
  hasRanges: boolean
}

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

/** Whether a campaign is settled by what its row says now, and nobody has written that yet. For RETURNING. */
const complete = sql<boolean>`
  counters.fanned_out_at is not null and counters.settled_at is null
  and counters.queued_ios + counters.queued_android + counters.queued_web = counters.sent + counters.failed + counters.skipped`

/**
 * Makes or raises the totals, sorted by campaign and each campaign once. They only grow, so a late report changes nothing; one of a
 * deleted app makes nothing (migrations/0003), and is not in the answer.
 */
export async function insertTotals(db: Db, totals: Totals[]): Promise<Set<string>> {
  const { rows } = await sql<{ campaign_id: string }>`
    insert into counters (campaign_id, app_id, day, name, transactional, queued_ios, queued_android, queued_web, has_ranges)
    select * from unnest(
      ${totals.map(({ campaignId }) => campaignId)}::text[], ${totals.map(({ appId }) => appId)}::text[], ${totals.map(({ day }) => day)}::date[],
      ${totals.map(({ name }) => name)}::text[], ${totals.map(({ transactional }) => transactional)}::bool[],
      ${totals.map(({ byPlatform }) => byPlatform.ios)}::int[], ${totals.map(({ byPlatform }) => byPlatform.android)}::int[],
      ${totals.map(({ byPlatform }) => byPlatform.web)}::int[], ${totals.map(({ hasRanges }) => hasRanges)}::bool[])
    on conflict (campaign_id) do update set
      queued_ios = greatest(counters.queued_ios, excluded.queued_ios),
      queued_android = greatest(counters.queued_android, excluded.queued_android),
      queued_web = greatest(counters.queued_web, excluded.queued_web),
      has_ranges = counters.has_ranges or excluded.has_ranges
    returning campaign_id`.execute(db)
  return new Set(rows.map(({ campaign_id }) => campaign_id))
}

/** Ends the fan-out of these campaigns and answers those for which it had not ended before: exactly one caller hears of each. */
export const takeFannedOut = (db: Db, campaignIds: string[]) =>
  db
    .updateTable('counters')
    .set({ fanned_out_at: sql<Date>`now()` })
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .where('fanned_out_at', 'is', null)
    .returning([
      'campaign_id',
      'app_id',
      'name',
      'transactional',
      'queued_ios',
      'queued_android',
      'queued_web',
      sql<Date>`fanned_out_at`.as('at'),
      complete.as('complete'),
    ])
    .execute()

/**
 * Moves counters by what was new, and answers each campaign's row: whether it is complete now. The rows are locked in the order of
 * their ids first; an update that joins locks in whatever order the plan has, and walks through a table that is not much larger than what is asked
 * for, so its keys are named as a list.
 */
export async function moveCounters(db: Db, moves: Map<string, CampaignTally>): Promise<{ campaignId: string; complete: boolean }[]> {
  const campaignIds = [...moves.keys()].toSorted()
  const column = (name: (typeof moved)[number]) => campaignIds.map((campaignId) => moves.get(campaignId)?.[name] ?? 0)
  const { rows } = await sql<{ campaignId: string; complete: boolean }>`
    with locked as materialized (
      select campaign_id from counters where campaign_id = any(${campaignIds}) order by campaign_id for no key update
    ), moved as (
      select * from unnest(${campaignIds}::text[], ${sql.join(moved.map((name) => sql`${column(name)}::int[]`))})
        as moved(campaign_id, ${sql.raw(moved.join(', '))})
    )
    update counters set ${sql.join(moved.map((name) => sql`${sql.id(name)} = counters.${sql.id(name)} + moved.${sql.id(name)}`))}
    from moved
    where counters.campaign_id = any(array(select campaign_id from locked)) and counters.campaign_id = moved.campaign_id
    returning counters.campaign_id as "campaignId", ${complete} as complete`.execute(db)
  return rows
}

/** Marks campaigns as settled and promises to tell it. The caller holds their rows and saw that they are complete. */
export async function insertSettlements(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with settled as (
      update counters set settled_at = now() where campaign_id = any(${campaignIds}) and settled_at is null returning campaign_id
    )
    insert into settlements (campaign_id, due_at) select campaign_id, now() + interval '5 seconds' from settled`.execute(db)
}

/** The first day that the ledger keeps. */
const firstDay = (retentionDays: number) => sql<string>`(now() at time zone 'utc')::date - ${retentionDays}::int`

/** The campaigns that the ledger still knows: not older than its retention, nor of a deleted app. */
export const findKept = (db: Db, campaignIds: string[], retentionDays: number) =>
  db
    .selectFrom('counters')
    .select(shownColumns)
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

/** Deletes counters, with their variants and what is still to be told of them. The caller holds the rows. Answers how many. */
export async function deleteCounters(db: Db, campaignIds: string[]): Promise<number> {
  const these = sql<string>`any(${campaignIds})`
  await db.deleteFrom('settlements').where('campaign_id', '=', these).execute()
  await db.deleteFrom('variant_counters').where('campaign_id', '=', these).execute()
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
    )
    delete from counters using old where counters.campaign_id = old.campaign_id returning counters.campaign_id`.execute(db)
  return rows.length
}
