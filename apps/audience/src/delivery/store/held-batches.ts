import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { FailureCode, SkipReason } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import type { Waiting } from '../core/circuit.ts'
import { endingAs, heldEnvironments, isFree, takenColumns, takenLease, turnFrom, type TakenRow } from './taken-batches.ts'

/** The places of a batch's pushes as an array. When the column is null the places are 0, 1, 2 and so on. */
const placesOf = sql`(coalesce(b.places, array(select generate_series(0, cardinality(b.subscription_ids) - 1)::smallint)))`

type FreeAsked = { batchId: string; environment: CircuitEnvironment; credentialsVersion: number | null }
export type FreeRow = FreeAsked & { appId: string; platform: Platform } & Omit<Waiting, 'places'>

/** Locks those of these batches that are free to be taken, in the order of their ids. */
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
 * Finds for each batch and environment the place of the first device to send to, devices accepted before first (spec: providers/probe). A device
 * belongs to the environment that accepted its token; if none did, to that of the credentials.
 */
export async function findFirstPlaces(
  db: Db,
  asked: Pick<FreeAsked, 'batchId' | 'environment'>[],
): Promise<Map<string, NonNullable<Waiting['places']>>> {
  const { rows } = await sql<{ id: string; environment: CircuitEnvironment; place: number }>`
    select b.id, case when b.platform = 'ios' then coalesce(s.apns_environment, asked.environment) else '' end as environment,
      coalesce(min(queued.place) filter (where s.id = any(known.ids)), min(queued.place)) as place
    from unnest(
      ${asked.map(({ batchId }) => batchId)}::text[],
      ${asked.map(({ environment }) => environment)}::text[]
    ) as asked(id, environment)
      join batches b on b.id = asked.id
      cross join lateral (
        select array(select unnest(a.subscription_ids) from accepted_devices a where a.app_id = b.app_id and a.platform = b.platform) as ids
        offset 0
      ) as known
      cross join lateral unnest(b.subscription_ids, b.user_ids) with ordinality as queued(subscription_id, user_id, place)
      -- Looks up each device by its key. When this was a join, and the planner's statistics were those of an empty table, it read all devices for
      -- every push.
      cross join lateral (
        select id, app_id, user_id, apns_environment, opted_in, invalidated_at from subscriptions where id = queued.subscription_id offset 0
      ) as s
    where s.app_id = b.app_id and s.user_id = queued.user_id and s.opted_in and s.invalidated_at is null
    group by 1, 2`.execute(db)
  const found = new Map<string, NonNullable<Waiting['places']>>(asked.map(({ batchId }) => [batchId, {}]))
  for (const { id, environment, place } of rows) found.set(id, { ...found.get(id), [environment]: place })
  return found
}

/**
 * Holds locked batches while their circuits are open. The sweep points at each batch again at the time `until`. The first turn of a batch counts as a
 * take, so that its ttl begins once.
 */
export const holdBatches = (db: Db, held: { batchId: string; until: Date }[]) =>
  sql`
    update batches b set held_since = coalesce(held_since, now()), not_before = told.until, due_at = told.until, queued_at = ${turnFrom},
      takes = takes + case when b.paced and takes = 0 then 1 else 0 end
    from unnest(${held.map(({ batchId }) => batchId)}::text[], ${held.map(({ until }) => until.toISOString())}::timestamptz[]) as told(id, until)
    where b.id = any(${held.map(({ batchId }) => batchId)}::text[]) and b.id = told.id`.execute(db)

type AppAndPlatform = { appId: string; platform: Platform }
/** Gives a key for an app and platform. Audience finds held batches by app and platform, because an open circuit can hold all batches of both. */
export const keyOfAppAndPlatform = ({ appId, platform }: AppAndPlatform): string => `${appId}.${platform}`

/** Finds for each app and platform when the sweep points at the first of its held batches that are not among `batches`. */
export async function findNextLooks(db: Db, batches: (AppAndPlatform & { batchId: string })[]): Promise<Map<string, Date>> {
  const asked = [...new Map(batches.map((batch) => [keyOfAppAndPlatform(batch), batch])).values()]
  const { rows } = await sql<AppAndPlatform & { at: Date }>`
    select asked.app as "appId", asked.platform, next.at
    from unnest(${asked.map(({ appId }) => appId)}::text[], ${asked.map(({ platform }) => platform)}::text[]) as asked(app, platform)
      cross join lateral (
        select b.due_at as at from batches b
        where b.app_id = asked.app and b.platform = asked.platform and b.held_since is not null and b.done_at is null
          and b.id <> all(${batches.map(({ batchId }) => batchId)}::text[])
        order by b.due_at limit 1
      ) as next`.execute(db)
  return new Map(rows.map((row) => [keyOfAppAndPlatform(row), row.at]))
}

export type Grant = {
  batchId: string
  probe: { environment: CircuitEnvironment; place: number } | null
  end: { outcome: 'failed'; code: FailureCode } | { outcome: 'skipped'; code: SkipReason } | null
}

/**
 * Takes locked batches although circuits are open. A probe's device moves to the first place. In a batch that was held too long every push gets the
 * outcome `end`. `held_since` stays, for pushes that are tried again later.
 */
export async function grantBatches(db: Db, grants: Grant[]): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    update batches b set takes = takes + 1, lease_until = ${takenLease}, due_at = ${takenLease}, spared = 0, probes = told.environment, queued_at = ${turnFrom},
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
 * Releases at most `limit` held batches of an app (on one platform; null: on all), first due first, without those that another transaction is
 * writing. Answers how many; fewer than the limit means that none is left for now.
 */
export async function releaseHeld(
  db: Db,
  { appId, platform }: { appId: string; platform: Platform | null },
  limit = releasedAtOnce,
): Promise<number> {
  const { rows } = await sql`
    with held as (
      select b.id, exists (select from circuits c where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open') as "isOpen"
      from batches b
      where b.app_id = ${appId} ${platform === null ? sql`` : sql`and b.platform = ${platform}`} and b.held_since is not null and b.done_at is null
        and (b.lease_until is null or b.lease_until <= now())
        -- While its circuit is open, a batch whose not_before has passed was released before and waits to be taken.
        and (b.not_before > now() or not exists (
          select from circuits c where c.app_id = b.app_id and c.platform = b.platform and c.state = 'open'
        ))
      order by b.due_at limit ${sql.lit(limit)} for no key update of b skip locked
    )
    update batches b set not_before = null, due_at = now(), held_since = case when held."isOpen" then b.held_since end
    from held where b.id = held.id
    returning b.id`.execute(db)
  return rows.length
}

export const releasedAtOnce = 500
