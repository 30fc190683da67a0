import { sql } from 'kysely'
import type { MadeBatch } from '../../delivery/store/batches.ts'
import type { Db, FanOut } from '../../store/tables.ts'

/** The batches of a fan-out of which the ledger was not told, in their order: what a process that died between a page and its report left. */
export async function findUntoldBatches(db: Db, { campaign_id, told_batches }: FanOut): Promise<Omit<MadeBatch, 'id' | 'decided'>[]> {
  const { rows } = await sql<Omit<MadeBatch, 'id' | 'decided'>>`
    select b.batch_no as no, b.platform, b.subscription_ids as "subscriptionIds", b.user_ids as "userIds"
    from batches b where b.campaign_id = ${campaign_id} and b.retry_of is null and b.batch_no > ${told_batches}
    order by b.batch_no`.execute(db)
  return rows
}
