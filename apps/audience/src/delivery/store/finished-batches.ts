import type { CircuitEnvironment, Decided, FinishBatch } from '@herald/contracts/batch'
import type { Lane, Platform } from '@herald/contracts/platform'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../store/tables.ts'
import type { RetryBatch } from '../core/retries.ts'

export type FinishedRow = {
  id: string
  appId: string
  campaignId: string
  platform: Platform
  lane: Lane
  probes: CircuitEnvironment | null
  takes: number
  queuedAt: Date
  /** Whether the app has asked for `lastNotifiedAt` within seven days, so that audience notes to which devices the batch was sent. */
  notesSent: boolean
}

/**
 * Marks the batches done that their takers still have, in the order of their ids. Batches that were done or have another taker are not in the answer.
 */
export const markDone = (db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[]): Promise<FinishedRow[]> =>
  markDoneIf(db, takes, sql`true`)

/**
 * Marks batches done like `markDone`, but only those for which nothing else is written: no probes, and no batches of apps that ask for
 * `lastNotifiedAt`.
 */
export const markQuietlyDone = (db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[]): Promise<FinishedRow[]> =>
  markDoneIf(db, takes, sql`b.probes is null and not ${notesSent}`)

const notesSent = sql`exists (select from notified_apps n where n.app_id = b.app_id and n.named_at > now() - interval '7 days' offset 0)`

async function markDoneIf(db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[], condition: RawBuilder<unknown>): Promise<FinishedRow[]> {
  const { rows } = await sql<FinishedRow>`
    with finished as (
      select b.id from batches b
        join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((take) => take.takes)}::int[]) as asked(id, takes)
          on b.id = asked.id and b.takes = asked.takes
      where b.id = any(${takes.map(({ batchId }) => batchId)}::text[]) and b.done_at is null and ${condition} order by b.id for no key update of b
    )
    update batches b set done_at = now(), lease_until = null, due_at = null
    from finished where b.id = finished.id
    returning b.id, b.app_id as "appId", b.campaign_id as "campaignId", b.platform, b.lane, b.probes, b.takes, b.queued_at as "queuedAt",
      ${notesSent} as "notesSent"`.execute(db)
  return rows
}

/**
 * Inserts batches of pushes to be tried again, with campaign, lane, number, places and starts of ttl and hold. A try that counted joins the
 * trail. What a send with a rate has not tried waits for a new turn.
 */
export const insertRetries = (db: Db, retries: (RetryBatch & { retryOf: string })[]) =>
  sql`
    insert into batches (id, app_id, campaign_id, platform, lane, day, queued_at, batch_no, places, badges, subscription_ids, user_ids, tries, retry_of, paced,
      not_before, due_at, held_since, last_code, last_provider_code, trail)
    select retry.id, b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.queued_at, b.batch_no,
      array(select jsonb_array_elements_text(retry.recipients -> 0)::smallint), b.badges, array(select jsonb_array_elements_text(retry.recipients -> 1)),
      array(select jsonb_array_elements_text(retry.recipients -> 2)),
      retry.tries, b.id, case when retry.tries = 0 then b.paced end, now() + make_interval(secs => retry.in_ms / 1000), now() + make_interval(secs => retry.in_ms / 1000), b.held_since,
      coalesce(retry.code, b.last_code), case when retry.code is null then b.last_provider_code else retry.provider_code end,
      case when retry.tries > b.tries then coalesce(b.trail, '[]') || jsonb_build_object(
        'at', to_char((now() - make_interval(secs => retry.ago_ms / 1000)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'code', retry.code, 'providerCode', retry.provider_code) else b.trail end
    from unnest(
      ${retries.map(({ id }) => id)}::text[],
      ${retries.map(({ retryOf }) => retryOf)}::text[],
      ${retries.map(({ places, subscriptionIds, userIds }) => JSON.stringify([places, subscriptionIds, userIds]))}::jsonb[],
      ${retries.map(({ tries }) => tries)}::int[],
      ${retries.map(({ inMs }) => inMs)}::float8[],
      ${retries.map(({ code }) => code)}::text[],
      ${retries.map(({ providerCode }) => providerCode)}::text[],
      ${retries.map(({ agoMs }) => agoMs)}::float8[]
    ) as retry(id, retry_of, recipients, tries, in_ms, code, provider_code, ago_ms) join batches b on b.id = retry.retry_of where b.id = any(${retries.map(({ retryOf }) => retryOf)}::text[])
    on conflict (id) do nothing`.execute(db)

/** Finds the campaigns among these whose pushes get one try only (ttl 0). */
export async function findNowOrNever(db: Db, campaignIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (campaignIds.size === 0) return campaignIds
  const { rows } = await sql<{ campaign_id: string }>`
    select campaign_id from fan_outs where campaign_id = any(${[...campaignIds]}::text[]) and (send ->> 'ttl')::int = 0`.execute(db)
  return new Set(rows.map(({ campaign_id }) => campaign_id))
}

/** Inserts batches of the pushes that failed when their batch was finished. A dispatcher takes such a batch to report the outcomes to the ledger. */
export const insertDecided = (db: Db, batches: { id: string; retryOf: string; decided: Decided[] }[]) =>
  sql`
    insert into batches (id, app_id, campaign_id, platform, lane, day, queued_at, batch_no, places, subscription_ids, user_ids, tries, retry_of, decided, trail)
    select told.id, b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.queued_at, b.batch_no,
      array(select (one ->> 'place')::smallint from jsonb_array_elements(told.decided) as one),
      array(select one ->> 'subscriptionId' from jsonb_array_elements(told.decided) as one),
      array(select one ->> 'userId' from jsonb_array_elements(told.decided) as one), b.tries, b.id, told.decided, b.trail
    from unnest(
      ${batches.map(({ id }) => id)}::text[],
      ${batches.map(({ retryOf }) => retryOf)}::text[],
      ${batches.map(({ decided }) => JSON.stringify(decided))}::jsonb[]
    ) as told(id, retry_of, decided) join batches b on b.id = told.retry_of where b.id = any(${batches.map(({ retryOf }) => retryOf)}::text[])
    on conflict (id) do nothing`.execute(db)
