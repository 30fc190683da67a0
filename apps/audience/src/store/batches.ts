import type { Decided, FinishBatch } from '@herald/contracts/batch'
import type { Lane, Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { NewBatch } from '../core/batching.ts'
import type { RetryBatch } from '../core/retries.ts'
import type { BatchTable, Db, FanOut } from './tables.ts'

/** contracts' `leaseMs`: how long a taken batch is its dispatcher's. */
const takenLease = sql<Date>`now() + interval '12 seconds'`

export type BatchPointerRow = { batchId: string; campaignId: string; appId: string; platform: Platform; lane: Lane; pointerNo: number }

/** Inserts the batches of a page. Their pointers are published right after the commit; the sweep repairs after 5 s. */
export const insertBatches = (db: Db, fanOut: FanOut, lane: Lane, batches: (NewBatch & { id: string; decided: Decided[] | null })[]) =>
  db
    .insertInto('batches')
    .values(
      batches.map(({ id, platform, subscriptionIds, userIds, decided }) => ({
        id,
        app_id: fanOut.app_id,
        campaign_id: fanOut.campaign_id,
        platform,
        lane,
        day: fanOut.day,
        subscription_ids: subscriptionIds,
        user_ids: userIds,
        decided: decided && JSON.stringify(decided),
        retry_of: null,
        not_before: null,
        lease_until: null,
        done_at: null,
      })),
    )
    .execute()

export type TakenRow = {
  id: string
  app_id: string
  campaign_id: string
  platform: Platform
  lane: Lane
  day: string
  takes: number
  tries: number
  queued_at: Date
  elapsedMs: number
  decided: Decided[] | null
  /** How many pushes it holds. */
  size: number
}

const takenColumns = sql`b.id, b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.takes, b.tries, b.queued_at, b.decided,
  cardinality(b.subscription_ids) as size,
  (extract(epoch from now() - b.queued_at) * 1000)::float8 as "elapsedMs"`

/**
 * Takes batches, in one statement for all that were asked for: not done, not held, no live lease. A batch has one taker at a
 * time, and each taker its own number. What is not in the answer was refused.
 */
export async function takeBatches(db: Db, batchIds: string[]): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    with ready as (
      select id from batches
      where id = any(${batchIds}::text[]) and done_at is null
        and (not_before is null or not_before <= now()) and (lease_until is null or lease_until <= now())
      order by id for no key update
    )
    update batches b set takes = takes + 1, lease_until = ${takenLease}, due_at = ${takenLease}
    from ready where b.id = ready.id
    returning ${takenColumns}`.execute(db)
  return rows
}

/** Why batches were refused, by id; one that is not in the answer does not exist. */
export async function findRefusals(db: Db, batchIds: string[]): Promise<Map<string, 'gone' | 'busy' | 'held'>> {
  const { rows } = await sql<{ id: string; answer: 'gone' | 'busy' | 'held' }>`
    select id, case when done_at is not null then 'gone' when not_before > now() then 'held' else 'busy' end as answer
    from batches where id = any(${batchIds}::text[])`.execute(db)
  return new Map(rows.map(({ id, answer }) => [id, answer]))
}

/** Batches that are still their taker's, for a further part of what was taken. */
export async function findTaken(db: Db, takes: { batchId: string; takes: number }[]): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    select ${takenColumns}
    from batches b join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((it) => it.takes)}::int[]) as asked(id, takes)
      on b.id = asked.id and b.takes = asked.takes
    where b.done_at is null`.execute(db)
  return rows
}

/** Keeps the leases of batches whose number is still the taker's; answers which. */
export async function renewBatches(db: Db, takes: { batchId: string; takes: number }[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; takes: number }>`
    with held as (
      select b.id from batches b
        join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((it) => it.takes)}::int[]) as asked(id, takes)
          on b.id = asked.id and b.takes = asked.takes
      where b.done_at is null order by b.id for no key update of b
    )
    update batches b set lease_until = ${takenLease}, due_at = ${takenLease}
    from held where b.id = held.id
    returning b.id, b.takes`.execute(db)
  return new Set(rows.map(({ id, takes }) => keyOfTake({ batchId: id, takes })))
}

/** A take's name: a batch and its fencing number. */
export const keyOfTake = ({ batchId, takes }: { batchId: string; takes: number }): string => `${batchId}.${takes}`

export type FinishedRow = Pick<BatchTable, 'id' | 'app_id' | 'campaign_id' | 'lane'> & { takes: number }

/** Marks batches done whose number is the finisher's; whoever is not in the answer has lost. Locks them in the order of ids. */
export async function markDone(db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[]): Promise<FinishedRow[]> {
  const { rows } = await sql<FinishedRow>`
    with finished as (
      select b.id from batches b
        join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((it) => it.takes)}::int[]) as asked(id, takes)
          on b.id = asked.id and b.takes = asked.takes
      where b.done_at is null order by b.id for no key update of b
    )
    update batches b set done_at = now(), lease_until = null, due_at = null
    from finished where b.id = finished.id
    returning b.id, b.app_id, b.campaign_id, b.lane, b.takes`.execute(db)
  return rows
}

/** Inserts what is to be tried again. It keeps lane, day, campaign and the moment its ttl counts from. */
export const insertRetries = (db: Db, retries: (RetryBatch & { retryOf: string })[]) =>
  sql`
    insert into batches (id, app_id, campaign_id, platform, lane, day, queued_at, subscription_ids, user_ids, tries, retry_of, not_before, due_at)
    select retry.id, b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.queued_at,
      array(select jsonb_array_elements_text(retry.recipients -> 0)), array(select jsonb_array_elements_text(retry.recipients -> 1)),
      retry.tries, b.id, retry.not_before, retry.not_before
    from unnest(
      ${retries.map(({ id }) => id)}::text[],
      ${retries.map(({ retryOf }) => retryOf)}::text[],
      ${retries.map(({ subscriptionIds, userIds }) => JSON.stringify([subscriptionIds, userIds]))}::jsonb[],
      ${retries.map(({ tries }) => tries)}::int[],
      ${retries.map(({ notBefore }) => notBefore.toISOString())}::timestamptz[]
    ) as retry(id, retry_of, recipients, tries, not_before) join batches b on b.id = retry.retry_of
    on conflict (id) do nothing`.execute(db)

/** Takes what nobody has taken, or whose taker is gone, to point at it again. Two sweeps never take the same. */
export async function takeDueBatches(db: Db, limit: number): Promise<BatchPointerRow[]> {
  const { rows } = await sql<BatchPointerRow>`
    with due as (
      select id from batches where due_at <= now() and done_at is null order by due_at limit ${limit} for update skip locked
    )
    update batches b set pointer_no = pointer_no + 1, due_at = now() + make_interval(secs => least(5 * (pointer_no + 2), 15))
    from due where b.id = due.id
    returning b.id as "batchId", b.campaign_id as "campaignId", b.app_id as "appId", b.platform, b.lane, b.pointer_no as "pointerNo"`.execute(
    db,
  )
  return rows
}
