import type { CampaignFlow, FlowChange } from '@herald/contracts/calls/audience'
import { sql } from 'kysely'
import type { Db, FanOut } from '../../store/tables.ts'

/**
 * Pauses, resumes or cancels a send; undefined: a later change came first, or all is over. Whoever cuts a page now loses it, so
 * its lease ends. Cancelled: nothing more is queued, and the totals so far are the last. Resumed: the next page is due at once.
 */
export async function changeFanOutFlow(db: Db, campaignId: string, { flow, no }: FlowChange): Promise<FanOut | undefined> {
  const ends = flow === 'cancelled'
  const { rows } = await sql<FanOut>`
    update fan_outs set
      flow = ${flow}, flow_no = ${no}, lease_until = null,
      ${
        ends
          ? sql`
            page = case when state in ('fanned_out', 'failed') then page else page + 1 end,
            state = case when state = 'failed' then state else 'fanned_out' end,
            target = null,`
          : sql``
      }
      due_at = case
        when state in ('fanned_out', 'failed') then due_at
        when state = 'between_waves' and not ${ends} then due_at
        else now() end
    where campaign_id = ${campaignId} and flow_no < ${no} and settled_at is null
    returning *`.execute(db)
  return rows[0]
}

/** Sends of a deleted app end where they are: no page, no total, nobody is told. Their rows stay, emptied, like any settled one's. */
export const stopFanOuts = (db: Db, appId: string) =>
  sql`
    with going as (
      select campaign_id from fan_outs
      where app_id = ${appId} and settled_at is null
      order by campaign_id for no key update
    )
    update fan_outs f set settled_at = now(), lease_until = null, due_at = null, settings = null from going where f.campaign_id = going.campaign_id`.execute(
    db,
  )

/**
 * What a send that was resumed or cancelled has queued and not sent is due at once. What waits for its time goes on waiting,
 * unless it is cancelled. A batch that somebody has locked is being taken or finished.
 */
export const makeBatchesDue = (db: Db, campaignId: string, flow: CampaignFlow) =>
  sql`
    with open as (
      select id from batches
      where campaign_id = ${campaignId} and done_at is null and (lease_until is null or lease_until <= now())
        and (${flow === 'cancelled'} or not_before is null or not_before <= now())
      for update skip locked
    )
    update batches b set due_at = now(), not_before = case when not_before is not null then least(not_before, now()) end
    from open where b.id = open.id`.execute(db)
