import { leaseMs, type CircuitEnvironment, type Decided, type FrozenSend } from '@herald/contracts/batch'
import type { AppSettings } from '@herald/contracts/app'
import type { Attempt } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { notDone } from '../../store/turns.ts'

/** When the lease of a batch that is taken or renewed now ends. */
export const takenLease = sql<Date>`now() + ${sql.lit(`${leaseMs / 1000} seconds`)}::interval`

export type TakenRow = {
  id: string
  appId: string
  campaignId: string
  platform: Platform
  lane: Lane
  day: string
  no: number
  takes: number
  tries: number
  queuedAt: Date
  elapsedMs: number
  decided: Decided[] | null
  /** The environment of the open circuit that this take probes; null when the take is no probe. */
  probes: CircuitEnvironment | null
  /** On iOS: the environments whose circuits are open and not probed by this take, and in how many milliseconds each may be probed. */
  heldEnvironments: { environment: CircuitEnvironment; inMs: number }[]
  size: number
}

export const takenColumns = sql`b.id, b.app_id as "appId", b.campaign_id as "campaignId", b.platform, b.lane, b.day, b.batch_no as no, b.takes, b.tries,
  b.queued_at as "queuedAt", b.decided, b.probes, cardinality(b.subscription_ids) as size,
  (extract(epoch from now() - b.queued_at) * 1000)::float8 as "elapsedMs"`

export const heldEnvironments = sql`array(
  select jsonb_build_object('environment', c.environment,
    'inMs', greatest(0, ceil(extract(epoch from c.probe_at - now()) * 1000)))
  from circuits c
  where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open' and b.platform = 'ios' and c.environment is distinct from b.probes
  order by c.environment
) as "heldEnvironments"`

/** Whether a batch `b` may be taken: it is not done, has no taker, its `not_before` has passed, and its send (the fan-out `f`) is not paused. */
export const isFree = sql`b.done_at is null and (b.not_before is null or b.not_before <= now()) and (b.lease_until is null or b.lease_until <= now())
  and f.flow is distinct from 'paused'`

/** Since when the ttl of a batch `b` counts that is taken or held now: of a send with a rate, since the first turn. */
export const turnFrom = sql`case when b.paced and b.takes = 0 and b.retry_of is null then now() else b.queued_at end`

/** Gives all pushes of a batch with one and the same outcome, in the form of the column `decided`. */
export const endingAs = (outcome: unknown, code: unknown) => sql`(
  select jsonb_agg(jsonb_build_object('place', coalesce(b.places[queued.place], queued.place - 1), 'subscriptionId', queued.subscription_id, 'userId', queued.user_id, 'tokenVersion', 0,
    'attempts', b.tries, 'outcome', ${outcome}, 'code', ${code}) order by queued.place)
  from unnest(b.subscription_ids, b.user_ids) with ordinality as queued(subscription_id, user_id, place)
)`

/**
 * Takes free batches without an open circuit of their app and platform. Decided and cancelled batches, and those without credentials, ignore circuits.
 * `hasTurn`: those of sends with a rate, which are left out otherwise.
 */
export async function takeBatches(
  db: Db,
  asked: { batchId: string; credentialsVersion: number | null }[],
  hasTurn = false,
): Promise<TakenRow[]> {
  const withoutCredentials = asked.filter(({ credentialsVersion }) => credentialsVersion === null)
  const { rows } = await sql<TakenRow>`
    with ready as (
      select b.id, f.flow is not distinct from 'cancelled' as cancelled
      from batches b left join fan_outs f on f.campaign_id = b.campaign_id
      where b.id = any(${asked.map(({ batchId }) => batchId)}::text[]) and ${isFree} ${hasTurn ? sql`` : sql`and (b.paced is null or f.flow = 'cancelled')`} and (
        b.decided is not null or f.flow = 'cancelled' or b.id = any(${withoutCredentials.map(({ batchId }) => batchId)}::text[])
        or not exists (select from circuits c where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open')
      )
      order by b.id for no key update of b
    )
    update batches b set takes = takes + 1, lease_until = ${takenLease}, due_at = ${takenLease}, spared = 0, not_before = null, held_since = null, probes = null,
      ${hasTurn ? sql`queued_at = ${turnFrom},` : sql``}
      decided = case when b.decided is null and cancelled then ${endingAs(sql`'skipped'`, sql`'cancelled'`)} else b.decided end
    from ready where b.id = ready.id
    returning ${takenColumns}, '{}'::jsonb[] as "heldEnvironments"`.execute(db)
  return rows
}

export type Refusal = 'gone' | 'busy' | 'held' | 'free' | 'paced'

/**
 * Says why batches were not taken, by id; unknown ones are not in the answer. `free`: only a circuit kept it, which may have closed since. `paced`: a
 * batch of a send with a rate, which may have its turn.
 */
export async function findRefusals(db: Db, batchIds: string[]): Promise<Map<string, Refusal>> {
  const { rows } = await sql<{ id: string; answer: Refusal }>`
    select b.id, case when b.done_at is not null then 'gone' when b.lease_until > now() then 'busy' when ${isFree} and b.paced then 'paced' when ${isFree} then 'free' else 'held' end as answer
    from batches b left join lateral (select flow from fan_outs where campaign_id = b.campaign_id offset 0) as f on true
    where b.id = any(${batchIds}::text[])`.execute(db)
  return new Map(rows.map(({ id, answer }) => [id, answer]))
}

/** Gives the name of a take: the batch and the number of the take. By the number audience recognises a call of an earlier taker. */
export const keyOfTake = ({ batchId, takes }: { batchId: string; takes: number }): string => `${batchId}.${takes}`

/** After so many failed reads of its pushes a batch ends as failed. */
const mostFailedReads = 5

/**
 * Counts that reading a batch's pushes has failed. The fifth time makes every push failed with `internal`, and the batch free and due, for a taker to
 * report. Gives whether the batch's outcomes are decided.
 */
export async function countFailedRead(db: Db, batchId: string): Promise<boolean> {
  const isLast = sql`failed_reads + 1 >= ${sql.lit(mostFailedReads)} and decided is null`
  const { rows } = await sql<{ hasEnded: boolean }>`
    update batches b set failed_reads = failed_reads + 1,
      decided = case when ${isLast} then ${endingAs(sql`'failed'`, sql`'internal'`)} else decided end,
      lease_until = case when ${isLast} then null else lease_until end,
      due_at = case when ${isLast} then now() else due_at end
    where id = ${batchId} and done_at is null
    returning decided is not null as "hasEnded"`.execute(db)
  return rows[0]?.hasEnded ?? false
}

/** Finds those of these batches that their takers still have, so that they can be given a further part of the pushes. */
export async function findTaken(db: Db, takes: { batchId: string; takes: number }[]): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    select ${takenColumns}, ${heldEnvironments}
    from batches b join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((take) => take.takes)}::int[]) as asked(id, takes)
      on b.id = asked.id and b.takes = asked.takes
    where b.id = any(${takes.map(({ batchId }) => batchId)}::text[]) and b.done_at is null`.execute(db)
  return rows
}

/** Renews the leases of the batches that their takers still have. Answers the names of the takes that were renewed. */
export async function renewBatches(db: Db, takes: { batchId: string; takes: number }[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; takes: number }>`
    with held as (
      select b.id from batches b
        join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((take) => take.takes)}::int[]) as asked(id, takes)
          on b.id = asked.id and b.takes = asked.takes
      where b.id = any(${takes.map(({ batchId }) => batchId)}::text[]) and b.done_at is null order by b.id for no key update of b
    )
    update batches b set lease_until = ${takenLease}, due_at = ${takenLease}, spared = 0
    from held where b.id = held.id
    returning b.id, b.takes`.execute(db)
  return new Set(rows.map(({ id, takes: no }) => keyOfTake({ batchId: id, takes: no })))
}

/**
 * Gives taken batches a full lease; with `unlessRenewed` only if none was taken or renewed in the last 6 s, half a lease. At most three times without
 * a renewal: a flapping connection keeps no dead dispatcher's batches.
 */
export const extendLeases = (db: Db, { unlessRenewed }: { unlessRenewed: boolean }) =>
  sql`
    with lapsed as (
      select id from batches
      where ${notDone} and lease_until < ${takenLease} and spared < 3 and not (
        ${unlessRenewed} and exists (select from batches where ${notDone} and lease_until > now() + ${sql.lit(`${leaseMs / 2000} seconds`)}::interval)
      )
      for no key update skip locked
    )
    update batches b set lease_until = ${takenLease}, due_at = ${takenLease}, spared = spared + 1
    from lapsed where b.id = lapsed.id`.execute(db)

/** Finds the frozen sends of campaigns: the send as it was accepted, and the app's settings when its first page was made. */
export const findFrozen = async (
  db: Db,
  campaignIds: string[],
): Promise<{ campaignId: string; send: FrozenSend | null; settings: AppSettings | null }[]> =>
  db
    .selectFrom('fan_outs')
    .select(['campaign_id as campaignId', 'send', 'settings'])
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .execute()

/** Finds the provider's answers to the earlier tries of these batches, by batch. A batch without an earlier answer is not in the result. */
export async function findTrails(db: Db, batchIds: string[]): Promise<Map<string, Attempt[]>> {
  const { rows } = await sql<{ id: string; trail: Attempt[] }>`
    select id, trail from batches where id = any(${batchIds}::text[]) and trail is not null`.execute(db)
  return new Map(rows.map(({ id, trail }) => [id, trail]))
}
