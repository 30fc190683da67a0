import type { CampaignFlow, FlowChange } from '@herald/contracts/campaign'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

/**
 * Pauses, resumes or cancels a send, and changes its rate. Answers its app and rate; undefined when a change with the same or a higher number came first, the send is settled, or
 * audience has no fan-out of it.
 */
export async function changeFanOutFlow(
  db: Db,
  campaignId: string,
  { flow, no, perMinute }: FlowChange,
): Promise<{ appId: string; perMinute: number | null } | undefined> {
  // A cancelled send queues nothing more: the higher page makes the sweep tell campaigns and tracker its last totals.
  const ends = flow === 'cancelled'
  // A page that another process is making is lost by a pause or cancel, so its lease ends.
  const { rows } = await sql<{ appId: string; perMinute: number | null }>`
    update fan_outs set
      flow = ${flow}, flow_no = ${no}, lease_until = null, ${perMinute === undefined ? sql`` : sql`per_minute = nullif(${perMinute}::int, 0),`}
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
    where campaign_id = ${campaignId} and flow_no < ${no} and settled_at is null and page > 0
    returning app_id as "appId", per_minute as "perMinute"`.execute(db)
  return rows[0]
}

/**
 * Notes in a row without pages (`page` 0) that a send was paused or cancelled before it began, so that its beginning is not inserted. A pause ends
 * when campaigns gives the send with a later number (`forgetPause`).
 */
export async function noteUnbegun(
  db: Db,
  { campaignId, appId }: { campaignId: string; appId: string },
  { flow, no }: FlowChange,
): Promise<void> {
  const isOver = flow === 'cancelled'
  await sql`
    insert into fan_outs as f (campaign_id, app_id, bound_id, page, told_page, state, flow, flow_no, due_at, settled_at)
    values (${campaignId}, ${appId}, '', 0, 0, ${isOver ? 'fanned_out' : 'running'}, ${flow}, ${no}, null, ${isOver ? sql`now()` : null})
    on conflict (campaign_id) do update set state = excluded.state, flow = excluded.flow, flow_no = excluded.flow_no, settled_at = excluded.settled_at
      where f.page = 0 and f.flow_no < excluded.flow_no and f.settled_at is null`.execute(db)
}

/** Deletes the note of a pause that a change with a higher number has ended. A cancel cannot be ended. */
export const forgetPause = (db: Db, campaignId: string, no: number) =>
  sql`delete from fan_outs where campaign_id = ${campaignId} and page = 0 and flow_no < ${no} and settled_at is null`.execute(db)

/**
 * Ends the sends of a deleted app: no further page is made, and no other service is told about them. Their rows stay, like those of settled sends.
 */
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
 * Makes the sweep point at once at a resumed or cancelled send's batches that no dispatcher has. Retries and held batches wait on, unless it is
 * cancelled. Locked batches are left out: a dispatcher takes or finishes them.
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
