import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { toFanOut, type FanOut } from './fan-outs.ts'
import type { MadeBatch } from './made-batches.ts'

/**
 * Stores that campaigns and tracker were told what a fan-out has queued up to a page. The sweep then has nothing more to do for a complete fan-out; a
 * failed one is marked as settled.
 */
export const markTold = (db: Db, { campaignId, page, batches }: FanOut) =>
  sql`
    update fan_outs set
      told_page = greatest(told_page, ${page}),
      told_batches = greatest(told_batches, ${batches}),
      due_at = case when state in ('fanned_out', 'failed') and page = ${page} then null else due_at end,
      settled_at = case when state = 'failed' then coalesce(settled_at, now()) else settled_at end
    where campaign_id = ${campaignId}`.execute(db)

/**
 * Stores that campaigns and tracker were told of complete fan-outs; locks rows in the order of their ids. JSON finds pages by id: a join with a list
 * of 444 took 427 ms, each row compared with each entry.
 */
export const markManyTold = (db: Db, told: Pick<FanOut, 'campaignId' | 'page' | 'batches'>[]) => {
  const pages = JSON.stringify(Object.fromEntries(told.map(({ campaignId, page }) => [campaignId, page])))
  const batches = JSON.stringify(Object.fromEntries(told.map(({ campaignId, batches: made }) => [campaignId, made])))
  return sql`
    with told as materialized (
      select campaign_id from fan_outs
      where campaign_id = any(${told.map(({ campaignId }) => campaignId)}::text[]) and settled_at is null
        and page = (${pages}::jsonb -> campaign_id)::int
      order by campaign_id for no key update
    )
    update fan_outs set told_page = greatest(told_page, page), told_batches = greatest(told_batches, (${batches}::jsonb -> campaign_id)::int), due_at = null
    where campaign_id = any(array(select campaign_id from told)) and state = 'fanned_out'`.execute(db)
}

/** Finds those of these fan-outs of which campaigns and tracker do not know the latest totals of queued pushes. */
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

/**
 * Finds the batches of a fan-out that were not reported to the ledger, by number: the process that inserted them died before the report, or the
 * tracker was away.
 */
export async function findUntoldBatches(db: Db, { campaignId, toldBatches }: FanOut): Promise<Omit<MadeBatch, 'id' | 'decided'>[]> {
  const { rows } = await sql<Omit<MadeBatch, 'id' | 'decided'>>`
    select b.batch_no as no, b.platform, b.subscription_ids as "subscriptionIds", b.user_ids as "userIds"
    from batches b where b.campaign_id = ${campaignId} and b.retry_of is null and b.batch_no > ${toldBatches}
    order by b.batch_no`.execute(db)
  return rows
}

/** Finds a batch of a fan-out by its number, and the fan-out; undefined when audience does not know one of them. */
export async function findToldBatch(
  db: Db,
  { campaignId, no }: { campaignId: string; no: number },
): Promise<{ fanOut: FanOut; made: Omit<MadeBatch, 'id' | 'decided'> } | undefined> {
  const fanOut = await db.selectFrom('fan_outs').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()
  const { rows } = await sql<Omit<MadeBatch, 'id' | 'decided'>>`
    select b.batch_no as no, b.platform, b.subscription_ids as "subscriptionIds", b.user_ids as "userIds"
    from batches b where b.campaign_id = ${campaignId} and b.retry_of is null and b.batch_no = ${no}`.execute(db)
  const [made] = rows
  return fanOut && made && { fanOut: toFanOut(fanOut), made }
}
