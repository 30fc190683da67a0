import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { toFanOut, type FanOut } from './fan-outs.ts'
import type { MadeBatch } from './made-batches.ts'

/** Notes that the totals up to a page were told. A fan-out that is over has nothing more to do; a failed one is settled with that. */
export const markTold = (db: Db, { campaignId, page, batches }: FanOut) =>
  sql`
    update fan_outs set
      told_page = greatest(told_page, ${page}),
      told_batches = greatest(told_batches, ${batches}),
      due_at = case when state in ('fanned_out', 'failed') and page = ${page} then null else due_at end,
      settled_at = case when state = 'failed' then coalesce(settled_at, now()) else settled_at end
    where campaign_id = ${campaignId}`.execute(db)

/** The same for many fan-outs that are over and not settled yet. Locks in the order of ids. */
export const markManyTold = (db: Db, told: Pick<FanOut, 'campaignId' | 'page' | 'batches'>[]) =>
  sql`
    with told as materialized (
      select f.campaign_id, news.page, news.batches
      from unnest(
        ${told.map(({ campaignId }) => campaignId)}::text[], ${told.map(({ page }) => page)}::int[], ${told.map(({ batches }) => batches)}::int[]
      ) as news(campaign_id, page, batches)
        join fan_outs f on f.campaign_id = news.campaign_id
      where f.campaign_id = any(${told.map(({ campaignId }) => campaignId)}::text[]) and f.settled_at is null and f.page = news.page
      order by f.campaign_id for no key update of f
    )
    update fan_outs f set told_page = greatest(told_page, told.page), told_batches = greatest(told_batches, told.batches), due_at = null
    from told where f.campaign_id = any(array(select campaign_id from told)) and f.campaign_id = told.campaign_id and f.state = 'fanned_out'`.execute(
    db,
  )

/** Finds the fan-outs among these whose latest totals were not told. */
export const findUntold = async (db: Db, campaignIds: string[]): Promise<FanOut[]> =>
  (
    await db
      .selectFrom('fan_outs')
      .selectAll()
      .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
      .whereRef('told_page', '<', 'page')
      .where('settled_at', 'is', null)
      .execute()
  ).map(toFanOut)

/** Finds the batches of a fan-out that the ledger was not told of, in their order: a process died after it had made them. */
export async function findUntoldBatches(db: Db, { campaignId, toldBatches }: FanOut): Promise<Omit<MadeBatch, 'id' | 'decided'>[]> {
  const { rows } = await sql<Omit<MadeBatch, 'id' | 'decided'>>`
    select b.batch_no as no, b.platform, b.subscription_ids as "subscriptionIds", b.user_ids as "userIds"
    from batches b where b.campaign_id = ${campaignId} and b.retry_of is null and b.batch_no > ${toldBatches}
    order by b.batch_no`.execute(db)
  return rows
}
