import type { OpenPush } from '@herald/contracts/calls/audience'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { notDone } from '../../store/turns.ts'

/** Where the next page begins: in this batch after the push at `place` (from 1), or with the batch's first push when `place` is 0. */
export type OpenPlace = { campaignId: string; batchId: string; place: number }
export type OpenFilter = {
  appId: string
  campaignId?: string | undefined
  userId?: string | undefined
  subscriptionId?: string | undefined
  code?: string | undefined
  platform?: Platform | undefined
  /** Lists only pushes that were queued at `from` or later, and before `to` (ISO timestamps). */
  from?: string | undefined
  to?: string | undefined
  limit: number
  after: OpenPlace | undefined
}

/**
 * A page of the list looks at no more than this many batches, even when none of their pushes matches the filter. They hold at most 100,000 pushes.
 */
const batchesPerPage = 200

/** Gives the query for the next unfinished batches of an app, newest campaign first: one more than `batchesPerPage`. */
export const nextOpenBatches = ({ appId, campaignId, after }: OpenFilter) => sql<{ campaignId: string; id: string }>`
  select campaign_id as "campaignId", id from batches
  where app_id = ${appId} and ${notDone}
    ${campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`}
    ${after ? sql`and (campaign_id, id) <= (${after.campaignId}, ${after.batchId})` : sql``}
  order by campaign_id desc, id desc limit ${sql.lit(batchesPerPage + 1)}`

type Row = OpenPlace & Omit<OpenPush, 'nextTryAt'> & { nextTryAt: Date | null }

/** Finds a page of an app's pushes that have no outcome yet, and where the next page begins. */
export async function findOpenPushes(db: Db, filter: OpenFilter): Promise<{ items: OpenPush[]; next: OpenPlace | null }> {
  const batches = (await nextOpenBatches(filter).execute(db)).rows
  if (batches.length === 0) return { items: [], next: null }
  const { userId, subscriptionId, code, platform, from, to, limit, after } = filter
  const looked = batches.slice(0, batchesPerPage)
  const { rows } = await sql<Row>`
    select b.id as "batchId", queued.place::int, b.campaign_id as "campaignId", queued.subscription_id as "subscriptionId",
      queued.user_id as "userId", b.platform, b.tries, b.last_code as code, nullif(b.last_provider_code, '') as "providerCode",
      case when b.not_before > now() then b.not_before end as "nextTryAt",
      case when b.lease_until > now() then 'sending' when b.held_since is not null or f.flow = 'paused' then 'held'
        when b.not_before > now() or b.tries > 0 then 'retry' else 'waiting' end as state
    from batches b left join fan_outs f on f.campaign_id = b.campaign_id
      cross join lateral unnest(b.subscription_ids, b.user_ids) with ordinality as queued(subscription_id, user_id, place)
    where b.id = any(${looked.map(({ id }) => id)}::text[]) and b.done_at is null
      ${after ? sql`and not (b.id = ${after.batchId} and queued.place <= ${after.place})` : sql``}
      ${userId === undefined ? sql`` : sql`and queued.user_id = ${userId}`}
      ${subscriptionId === undefined ? sql`` : sql`and queued.subscription_id = ${subscriptionId}`}
      ${code === undefined ? sql`` : sql`and b.last_code = ${code}`}
      ${platform === undefined ? sql`` : sql`and b.platform = ${platform}`}
      ${from === undefined ? sql`` : sql`and b.queued_at >= ${from}::timestamptz`}
      ${to === undefined ? sql`` : sql`and b.queued_at < ${to}::timestamptz`}
    order by b.campaign_id desc, b.id desc, queued.place limit ${limit + 1}`.execute(db)

  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const unlooked = batches[batchesPerPage]
  const next = last ?? (unlooked && { campaignId: unlooked.campaignId, batchId: unlooked.id, place: 0 })
  return {
    items: shown.map(({ batchId: _batch, place: _place, nextTryAt, ...push }) => ({
      ...push,
      nextTryAt: nextTryAt?.toISOString() ?? null,
    })),
    next: next ? { campaignId: next.campaignId, batchId: next.batchId, place: next.place } : null,
  }
}
