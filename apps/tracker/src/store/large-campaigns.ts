import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import { platforms, type Platform } from '@herald/contracts/platform'
import type { CodeCount } from '@herald/contracts/series'
import { sql } from 'kysely'
import { allQueued } from './counters.ts'
import type { Db } from './tables.ts'

/** True for a campaign of more than 1,000 pushes: its codes are counted (migrations/0200). */
const isLarge = sql<boolean>`${allQueued} > 1000`

/** Makes an SQL expression for a JSON object that has, for each platform, the column of that prefix. */
const byPlatform = (prefix: 'queued' | 'settled') =>
  sql`json_build_object(${sql.raw(platforms.map((platform) => `'${platform}', ${prefix}_${platform}`).join(', '))})`

type Campaign = { day: string; startedAt: Date; isLarge: boolean }

/**
 * Finds when a campaign was first reported, and whether its curve has all reports of devices. Undefined when it is
 * another app's or no fan-out has reported it.
 */
export async function findCurve(db: Db, appId: string, campaignId: string): Promise<{ startedAt: Date; isKept: boolean } | undefined> {
  // A campaign of at most 1,000 pushes that began before migration 0207 has reports that are in no curve.
  const { rows } = await sql<{ startedAt: Date; isKept: boolean }>`
    select created_at as "startedAt", ${isLarge} or not transactional and delivered + opened + clicked + dismissed <= (
      select coalesce(sum(delivered + opened + clicked + dismissed), 0) from curve_steps s where s.campaign_id = counters.campaign_id
    ) as "isKept" from counters
    where campaign_id = ${campaignId} and app_id = ${appId}`.execute(db)
  return rows[0]
}

/** Finds the steps of a curve in which devices reported, earliest first. */
export async function findSteps(db: Db, campaignId: string): Promise<({ step: number } & Record<EngagementKind | 'converted', number>)[]> {
  return db
    .selectFrom('curve_steps')
    .select(['step', 'delivered', 'opened', 'clicked', 'dismissed', 'converted'])
    .where('campaign_id', '=', campaignId)
    .orderBy('step')
    .execute()
}

/** At most this many actions are given, the most clicked first: a device may report any. */
const mostActions = 50

/** Finds how often the actions of a campaign were clicked. */
export const findActions = (db: Db, campaignId: string): Promise<{ action: string; clicked: number }[]> =>
  db
    .selectFrom('campaign_actions')
    .select(['action', 'clicked'])
    .where('campaign_id', '=', campaignId)
    .orderBy('clicked', 'desc')
    .orderBy('action')
    .limit(mostActions)
    .execute()

export type PlatformCounts = Campaign & { isKept: boolean } & Record<OutcomeKind, number> &
  Record<'queued' | 'ended', Record<Platform, number>> & { codes: CodeCount[] }

/**
 * Finds a campaign's counters and codes, in one statement so that they agree. `ended`: pushes with an outcome. `isKept`: the ledger has the
 * campaign's rows. Undefined when no fan-out has reported it, or it belongs to another app.
 */
export async function findPlatformCounts(
  db: Db,
  { appId, campaignId, retentionDays }: { appId: string; campaignId: string; retentionDays: number },
): Promise<PlatformCounts | undefined> {
  const { rows } = await sql<PlatformCounts>`
    select day, created_at as "startedAt", ${isLarge} as "isLarge", day >= (now() at time zone 'utc')::date - ${retentionDays}::int as "isKept",
      sent, failed, skipped, ${byPlatform('queued')} as queued,
      ${byPlatform('settled')} as ended,
      array(
        select json_build_object('platform', c.platform, 'outcome', c.outcome, 'code', c.code, 'count', c.count)
        from campaign_codes c where c.campaign_id = ${campaignId} order by c.platform, c.outcome, c.code
      ) as codes
    from counters where campaign_id = ${campaignId} and app_id = ${appId}`.execute(db)
  return rows[0]
}

/**
 * At most this many of an app's newest campaigns are examined to find large sends, at ~2 µs each. There is a limit, because an app may make a million
 * campaigns a month, nearly all of a single push.
 */
const mostExamined = 20_000
/** A send with fewer pushes does not count: its time is mostly the time to its first push, which says little about the pace. */
const leastPushes = 1_000
const lastSends = 5

/**
 * Finds the last large sends of an app that settled, at most five within 30 days. Adds up their pushes, and the seconds from the first report of each
 * send until it settled.
 */
export async function sumLargeSends(db: Db, appId: string): Promise<{ pushes: number; seconds: number }> {
  const { rows } = await sql<{ pushes: number; seconds: number }>`
    with newest as materialized (
      select ${allQueued} as queued, created_at, settled_at from counters
      where app_id = ${appId} order by campaign_id desc limit ${sql.lit(mostExamined)}
    ), large as (
      select queued, settled_at - created_at as took from newest
      where queued >= ${sql.lit(leastPushes)} and settled_at is not null and created_at > now() - interval '30 days'
      order by settled_at desc limit ${sql.lit(lastSends)}
    )
    select coalesce(sum(queued), 0)::float8 as pushes, coalesce(sum(extract(epoch from took)), 0)::float8 as seconds from large`.execute(db)
  return rows[0] ?? { pushes: 0, seconds: 0 }
}
