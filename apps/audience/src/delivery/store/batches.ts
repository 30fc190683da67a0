import type { CircuitEnvironment, Decided, FinishBatch } from '@herald/contracts/batch'
import type { Attempt, FailureCode, SkipReason } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import { sql, type RawBuilder } from 'kysely'
import type { NewBatch } from '../../sends/core/batching.ts'
import type { Waiting } from '../core/circuit.ts'
import type { RetryBatch } from '../core/retries.ts'
import type { BatchTable, Db, FanOut } from '../../store/tables.ts'

/** contracts' `leaseMs`: how long a taken batch is its dispatcher's. */
export const takenLease = sql<Date>`now() + interval '12 seconds'`

export type BatchPointerRow = {
  batchId: string
  campaignId: string
  appId: string
  platform: Platform
  lane: Lane
  pointerNo: number
  /** How many pushes it holds. Undefined: it is taken by itself. */
  size?: number
}
/** A batch of a page. `no`: its number, per campaign, from 1. */
export type MadeBatch = NewBatch & { id: string; no: number }

/**
 * Inserts the batches of a page. Their pointers are published right after the commit; the sweep repairs after 5 s. Those of `waiting`
 * platforms are due at once and for the sweep to point at, by turns of apps.
 */
export const insertBatches = (db: Db, fanOut: FanOut, lane: Lane, batches: MadeBatch[], waiting: ReadonlySet<Platform> = new Set()) =>
  sql`
    insert into batches (id, app_id, campaign_id, platform, lane, day, batch_no, subscription_ids, user_ids, decided, due_at)
    values ${sql.join(
      batches.map(
        ({ id, no, platform, subscriptionIds, userIds, decided }) => sql`(
          ${id}, ${fanOut.app_id}, ${fanOut.campaign_id}, ${platform}, ${lane}, ${fanOut.day}, ${no}, ${listOf(subscriptionIds)}, ${listOf(userIds)},
          ${decided && JSON.stringify(decided)}, now() + make_interval(secs => ${waiting.has(platform) ? 0 : 5})
        )`,
      ),
    )}`.execute(db)

/** Ids as Postgres writes a list of them. They are hexadecimal, so nothing in them needs quotes. */
export const listOf = (ids: readonly string[]): string => `{${ids.join(',')}}`

export type TakenRow = {
  id: string
  app_id: string
  campaign_id: string
  platform: Platform
  lane: Lane
  day: string
  batch_no: number
  takes: number
  tries: number
  queued_at: Date
  elapsedMs: number
  decided: Decided[] | null
  /** The environment of the open circuit whose probe this take is; null: it is none. */
  probes: CircuitEnvironment | null
  /** Open circuits of iOS that the take does not probe. */
  heldEnvironments: { environment: CircuitEnvironment; inMs: number }[]
  /** How many pushes it holds. */
  size: number
}

const takenColumns = sql`b.id, b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.batch_no, b.takes, b.tries, b.queued_at, b.decided, b.probes,
  cardinality(b.subscription_ids) as size,
  (extract(epoch from now() - b.queued_at) * 1000)::float8 as "elapsedMs"`

const heldEnvironments = sql`array(
  select jsonb_build_object('environment', c.environment,
    'inMs', greatest(0, ceil(extract(epoch from c.probe_at - now()) * 1000)))
  from circuits c
  where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open' and b.platform = 'ios' and c.environment is distinct from b.probes
  order by c.environment
) as "heldEnvironments"`

/** Nobody has it, its time has come, and its campaign is not paused (`f`, its fan-out). */
const isFree = sql`b.done_at is null and (b.not_before is null or b.not_before <= now()) and (b.lease_until is null or b.lease_until <= now())
  and f.flow is distinct from 'paused'`

/** The places of a batch's pushes; null stands for those from 0 on. */
const placesOf = sql`(coalesce(b.places, array(select generate_series(0, cardinality(b.subscription_ids) - 1)::smallint)))`

/** All pushes of a batch with one end, as its `decided`. */
const endingAs = (outcome: unknown, code: unknown) => sql`(
  select jsonb_agg(jsonb_build_object('place', coalesce(b.places[queued.place], queued.place - 1), 'subscriptionId', queued.subscription_id, 'userId', queued.user_id, 'tokenVersion', 0,
    'attempts', b.tries, 'outcome', ${outcome}, 'code', ${code}) order by queued.place)
  from unnest(b.subscription_ids, b.user_ids) with ordinality as queued(subscription_id, user_id, place)
)`

/**
 * Takes batches, in one statement for all that were asked for: free, and no circuit of their app and platform is open (nobody
 * without credentials, decided or cancelled needs one). What is left of a cancelled send is decided as skipped here. A batch
 * has one taker at a time, and each taker its own number. What is not in the answer was refused.
 */
export async function takeBatches(db: Db, asked: { batchId: string; credentialsVersion: number | null }[]): Promise<TakenRow[]> {
  const withoutCredentials = asked.filter(({ credentialsVersion }) => credentialsVersion === null)
  const { rows } = await sql<TakenRow>`
    with ready as (
      select b.id, f.flow is not distinct from 'cancelled' as cancelled
      from batches b left join fan_outs f on f.campaign_id = b.campaign_id
      where b.id = any(${asked.map(({ batchId }) => batchId)}::text[]) and ${isFree} and (
        b.decided is not null or f.flow = 'cancelled' or b.id = any(${withoutCredentials.map(({ batchId }) => batchId)}::text[])
        or not exists (select from circuits c where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open')
      )
      order by b.id for no key update of b
    )
    update batches b set takes = takes + 1, lease_until = ${takenLease}, due_at = ${takenLease}, spared = 0, not_before = null, held_since = null, probes = null,
      decided = case when b.decided is null and cancelled then ${endingAs(sql`'skipped'`, sql`'cancelled'`)} else b.decided end
    from ready where b.id = ready.id
    returning ${takenColumns}, '{}'::jsonb[] as "heldEnvironments"`.execute(db)
  return rows
}

export type Refusal = 'gone' | 'busy' | 'held' | 'free'

/**
 * Why batches were refused, by id; one that is not in the answer does not exist. `free`: a circuit of its app and platform is
 * open, or was a moment ago.
 */
export async function findRefusals(db: Db, batchIds: string[]): Promise<Map<string, Refusal>> {
  const { rows } = await sql<{ id: string; answer: Refusal }>`
    select b.id, case when b.done_at is not null then 'gone' when b.lease_until > now() then 'busy' when ${isFree} then 'free' else 'held' end as answer
    from batches b left join lateral (select flow from fan_outs where campaign_id = b.campaign_id offset 0) as f on true
    where b.id = any(${batchIds}::text[])`.execute(db)
  return new Map(rows.map(({ id, answer }) => [id, answer]))
}

type FreeAsked = { batchId: string; environment: CircuitEnvironment; credentialsVersion: number | null }
export type FreeRow = FreeAsked & { appId: string; platform: Platform } & Omit<Waiting, 'places'>

/** Locks those of these batches that are free, in the order of their ids. */
export async function lockFree(db: Db, asked: FreeAsked[]): Promise<FreeRow[]> {
  const { rows } = await sql<FreeRow>`
    select b.id as "batchId", asked.environment, asked.version as "credentialsVersion", b.app_id as "appId", b.platform,
      b.queued_at as "queuedAt", b.held_since as "heldSince", coalesce((f.send ->> 'ttl')::float8, 0) as "ttlSeconds"
    from unnest(
      ${asked.map(({ batchId }) => batchId)}::text[],
      ${asked.map(({ environment }) => environment)}::text[],
      ${asked.map(({ credentialsVersion }) => credentialsVersion)}::bigint[]
    ) as asked(id, environment, version)
      join batches b on b.id = asked.id left join fan_outs f on f.campaign_id = b.campaign_id
    where b.id = any(${asked.map(({ batchId }) => batchId)}::text[]) and ${isFree}
    order by b.id for no key update of b`.execute(db)
  return rows
}

/**
 * Of each batch the places of the first devices that would be sent to, by the environment that they are asked in first:
 * the one that accepted them before, else the credentials'.
 */
export async function findFirstPlaces(
  db: Db,
  asked: Pick<FreeAsked, 'batchId' | 'environment'>[],
): Promise<Map<string, NonNullable<Waiting['places']>>> {
  const { rows } = await sql<{ id: string; environment: CircuitEnvironment; place: number }>`
    select b.id, case when b.platform = 'ios' then coalesce(s.apns_environment, asked.environment) else '' end as environment,
      min(queued.place) as place
    from unnest(
      ${asked.map(({ batchId }) => batchId)}::text[],
      ${asked.map(({ environment }) => environment)}::text[]
    ) as asked(id, environment)
      join batches b on b.id = asked.id
      cross join lateral unnest(b.subscription_ids, b.user_ids) with ordinality as queued(subscription_id, user_id, place)
      -- Each device by its key. As a join the planner, whose statistics may be of an empty table, has looked through all of them per push.
      cross join lateral (
        select app_id, user_id, apns_environment, opted_in, invalidated_at from subscriptions where id = queued.subscription_id offset 0
      ) as s
    where s.app_id = b.app_id and s.user_id = queued.user_id and s.opted_in and s.invalidated_at is null
    group by 1, 2`.execute(db)
  const found = new Map<string, NonNullable<Waiting['places']>>(asked.map(({ batchId }) => [batchId, {}]))
  for (const { id, environment, place } of rows) found.set(id, { ...found.get(id), [environment]: place })
  return found
}

/** Parks locked batches while their circuits are open; the sweep points at them when their time has come. */
export const holdBatches = (db: Db, held: { batchId: string; until: Date }[]) =>
  sql`
    update batches b set held_since = coalesce(held_since, now()), not_before = told.until, due_at = told.until
    from unnest(${held.map(({ batchId }) => batchId)}::text[], ${held.map(({ until }) => until.toISOString())}::timestamptz[]) as told(id, until)
    where b.id = any(${held.map(({ batchId }) => batchId)}::text[]) and b.id = told.id`.execute(db)

type Way = { appId: string; platform: Platform }
export const wayOf = ({ appId, platform }: Way): string => `${appId}.${platform}`

/** When the first of the held batches of these batches' apps and platforms looks again, without these batches; by way. */
export async function findNextLooks(db: Db, batches: (Way & { batchId: string })[]): Promise<Map<string, Date>> {
  const ways = [...new Map(batches.map((batch) => [wayOf(batch), batch])).values()]
  const { rows } = await sql<Way & { at: Date }>`
    select way.app as "appId", way.platform, next.at
    from unnest(${ways.map(({ appId }) => appId)}::text[], ${ways.map(({ platform }) => platform)}::text[]) as way(app, platform)
      cross join lateral (
        select b.due_at as at from batches b
        where b.app_id = way.app and b.platform = way.platform and b.held_since is not null and b.done_at is null
          and b.id <> all(${batches.map(({ batchId }) => batchId)}::text[])
        order by b.due_at limit 1
      ) as next`.execute(db)
  return new Map(rows.map((row) => [wayOf(row), row.at]))
}

export type Grant = {
  batchId: string
  probe: { environment: CircuitEnvironment; place: number } | null
  end: { outcome: 'failed'; code: FailureCode } | { outcome: 'skipped'; code: SkipReason } | null
}

/**
 * Takes locked batches past open circuits. A probe's device comes first in its batch; one that was held too long is decided
 * as its `end` says. Since when a batch is held stays known, for what comes back of it.
 */
export async function grantBatches(db: Db, grants: Grant[]): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    update batches b set takes = takes + 1, lease_until = ${takenLease}, due_at = ${takenLease}, spared = 0, probes = told.environment,
      subscription_ids = b.subscription_ids[place:place] || b.subscription_ids[:place - 1] || b.subscription_ids[place + 1:],
      user_ids = b.user_ids[place:place] || b.user_ids[:place - 1] || b.user_ids[place + 1:],
      places = case when place = 1 then b.places else ${placesOf}[place:place] || ${placesOf}[:place - 1] || ${placesOf}[place + 1:] end,
      decided = case when b.decided is null and told.code is not null then ${endingAs(sql`told.outcome`, sql`told.code`)} else b.decided end
    from unnest(
      ${grants.map(({ batchId }) => batchId)}::text[],
      ${grants.map(({ probe }) => probe?.environment ?? null)}::text[],
      ${grants.map(({ probe }) => probe?.place ?? 1)}::int[],
      ${grants.map(({ end }) => end?.outcome ?? null)}::text[],
      ${grants.map(({ end }) => end?.code ?? null)}::text[]
    ) as told(id, environment, place, outcome, code)
    where b.id = any(${grants.map(({ batchId }) => batchId)}::text[]) and b.id = told.id
    returning ${takenColumns}, ${heldEnvironments}`.execute(db)
  return rows
}

/**
 * An app's held batches (of a platform) may go at once, at most 500 of them, those first that would have looked first; not those that
 * somebody is at. Answers how many: below 500 there are no more.
 */
export async function releaseHeld(db: Db, { appId, platform }: { appId: string; platform: Platform | null }): Promise<number> {
  const { rows } = await sql`
    with held as (
      select b.id, exists (select from circuits c where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open') as "isOpen"
      from batches b
      where b.app_id = ${appId} ${platform === null ? sql`` : sql`and b.platform = ${platform}`} and b.held_since is not null and b.done_at is null
        and (b.lease_until is null or b.lease_until <= now())
        -- Who is free to go already, and stays held, was released before.
        and (b.not_before > now() or not exists (
          select from circuits c where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open'
        ))
      order by b.due_at limit ${sql.lit(releasedAtOnce)} for no key update of b skip locked
    )
    update batches b set not_before = null, due_at = now(), held_since = case when held."isOpen" then b.held_since end
    from held where b.id = held.id
    returning b.id`.execute(db)
  return rows.length
}

export const releasedAtOnce = 500

/** A batch that was its first taker's from its commit on, and was not given to it: whoever comes may take it. */
export const freeBatch = (db: Db, batchId: string) =>
  sql`update batches set lease_until = null, due_at = now() where id = ${batchId} and takes = 1 and done_at is null`.execute(db)

/** Batches that are still their taker's, for a further part of what was taken. */
export async function findTaken(db: Db, takes: { batchId: string; takes: number }[]): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    select ${takenColumns}, ${heldEnvironments}
    from batches b join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((it) => it.takes)}::int[]) as asked(id, takes)
      on b.id = asked.id and b.takes = asked.takes
    where b.id = any(${takes.map(({ batchId }) => batchId)}::text[]) and b.done_at is null`.execute(db)
  return rows
}

/** What the pushes of these batches heard at their tries before, by batch; those that heard nothing are not in it. */
export async function findTrails(db: Db, batchIds: string[]): Promise<Map<string, Attempt[]>> {
  const { rows } = await sql<{ id: string; trail: Attempt[] }>`
    select id, trail from batches where id = any(${batchIds}::text[]) and trail is not null`.execute(db)
  return new Map(rows.map(({ id, trail }) => [id, trail]))
}

/** Keeps the leases of batches whose number is still the taker's; answers which. */
export async function renewBatches(db: Db, takes: { batchId: string; takes: number }[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; takes: number }>`
    with held as (
      select b.id from batches b
        join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((it) => it.takes)}::int[]) as asked(id, takes)
          on b.id = asked.id and b.takes = asked.takes
      where b.id = any(${takes.map(({ batchId }) => batchId)}::text[]) and b.done_at is null order by b.id for no key update of b
    )
    update batches b set lease_until = ${takenLease}, due_at = ${takenLease}, spared = 0
    from held where b.id = held.id
    returning b.id, b.takes`.execute(db)
  return new Set(rows.map(({ id, takes }) => keyOfTake({ batchId: id, takes })))
}

/** A take's name: a batch and its fencing number. */
export const keyOfTake = ({ batchId, takes }: { batchId: string; takes: number }): string => `${batchId}.${takes}`

export type FinishedRow = Pick<BatchTable, 'id' | 'app_id' | 'campaign_id' | 'platform' | 'lane' | 'probes'> & {
  takes: number
  queued_at: Date
  /** Its app has asked for lastNotifiedAt within seven days. */
  notes_sent: boolean
}

/** Marks batches done whose number is the finisher's; whoever is not in the answer has lost. Locks them in the order of ids. */
export const markDone = (db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[]): Promise<FinishedRow[]> =>
  markDoneIf(db, takes, sql`true`)

/** The same of those that are no probe, and of whose devices nothing is noted: with the row all is done. */
export const markQuietlyDone = (db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[]): Promise<FinishedRow[]> =>
  markDoneIf(db, takes, sql`b.probes is null and not ${notesSent}`)

const notesSent = sql`exists (select from notified_apps n where n.app_id = b.app_id and n.named_at > now() - interval '7 days' offset 0)`

async function markDoneIf(db: Db, takes: Pick<FinishBatch, 'batchId' | 'takes'>[], condition: RawBuilder<unknown>): Promise<FinishedRow[]> {
  const { rows } = await sql<FinishedRow>`
    with finished as (
      select b.id from batches b
        join unnest(${takes.map(({ batchId }) => batchId)}::text[], ${takes.map((it) => it.takes)}::int[]) as asked(id, takes)
          on b.id = asked.id and b.takes = asked.takes
      where b.id = any(${takes.map(({ batchId }) => batchId)}::text[]) and b.done_at is null and ${condition} order by b.id for no key update of b
    )
    update batches b set done_at = now(), lease_until = null, due_at = null
    from finished where b.id = finished.id
    returning b.id, b.app_id, b.campaign_id, b.platform, b.lane, b.probes, b.takes, b.queued_at, ${notesSent} as notes_sent`.execute(db)
  return rows
}

/**
 * Inserts what is to be tried again. It keeps lane, day, campaign, the number and places it was queued with, the moment its ttl counts from, since when it is held and, where it was
 * not tried, what was answered last. What was a try is one more of its trail.
 */
export const insertRetries = (db: Db, retries: (RetryBatch & { retryOf: string })[]) =>
  sql`
    insert into batches (id, app_id, campaign_id, platform, lane, day, queued_at, batch_no, places, subscription_ids, user_ids, tries, retry_of, not_before, due_at,
      held_since, last_code, last_provider_code, trail)
    select retry.id, b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.queued_at, b.batch_no,
      array(select jsonb_array_elements_text(retry.recipients -> 0)::smallint), array(select jsonb_array_elements_text(retry.recipients -> 1)),
      array(select jsonb_array_elements_text(retry.recipients -> 2)),
      retry.tries, b.id, now() + make_interval(secs => retry.in_ms / 1000), now() + make_interval(secs => retry.in_ms / 1000), b.held_since,
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

/** Those of these campaigns whose pushes get one try (ttl 0). */
export async function findNowOrNever(db: Db, campaignIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (campaignIds.size === 0) return campaignIds
  const { rows } = await sql<{ campaign_id: string }>`
    select campaign_id from fan_outs where campaign_id = any(${[...campaignIds]}::text[]) and (send ->> 'ttl')::int = 0`.execute(db)
  return new Set(rows.map(({ campaign_id }) => campaign_id))
}

/** Inserts pushes of a finished batch whose end was decided when it was finished. They travel to the ledger like any other. */
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
