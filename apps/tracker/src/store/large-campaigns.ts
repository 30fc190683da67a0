import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { CodeCount } from '@herald/contracts/series'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Of how many pushes a campaign has curves and codes of its own (migrations/0105). */
const isLarge = sql<boolean>`queued_ios + queued_android + queued_web > 1000`

type Campaign = { day: string; startedAt: Date; isLarge: boolean }

/** When the first push of a campaign was queued, and whether it has a curve; undefined: nothing was ever queued for it, or it is another app's. */
export async function findLargeCampaign(db: Db, appId: string, campaignId: string): Promise<Campaign | undefined> {
  const { rows } = await sql<Campaign>`
    select day, created_at as "startedAt", ${isLarge} as "isLarge" from counters
    where campaign_id = ${campaignId} and app_id = ${appId}`.execute(db)
  return rows[0]
}

/** The steps of a curve that have something, in order. */
export async function findSteps(db: Db, campaignId: string): Promise<({ step: number } & Record<EngagementKind, number>)[]> {
  return db
    .selectFrom('curve_steps')
    .select(['step', 'delivered', 'opened', 'clicked', 'dismissed'])
    .where('campaign_id', '=', campaignId)
    .orderBy('step')
    .execute()
}

export type PlatformCounts = Campaign & { isKept: boolean } & Record<OutcomeKind, number> &
  Record<`${'queued' | 'settled'}_${Platform}`, number> & { codes: CodeCount[] }

/**
 * A campaign's counters with its codes, read together, so that they belong together. `isKept`: the ledger still has it. Undefined: nothing was ever queued
 * for it, or it is another app's.
 */
export async function findPlatformCounts(
  db: Db,
  { appId, campaignId, retentionDays }: { appId: string; campaignId: string; retentionDays: number },
): Promise<PlatformCounts | undefined> {
  const { rows } = await sql<PlatformCounts>`
    select day, created_at as "startedAt", ${isLarge} as "isLarge", day >= (now() at time zone 'utc')::date - ${retentionDays}::int as "isKept",
      sent, failed, skipped, queued_ios, queued_android, queued_web, settled_ios, settled_android, settled_web,
      array(
        select json_build_object('platform', c.platform, 'outcome', c.outcome, 'code', c.code, 'count', c.count)
        from campaign_codes c where c.campaign_id = ${campaignId} order by c.platform, c.outcome, c.code
      ) as codes
    from counters where campaign_id = ${campaignId} and app_id = ${appId}`.execute(db)
  return rows[0]
}
