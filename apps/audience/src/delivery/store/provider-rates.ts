import type { ProviderRate } from '@herald/contracts/batch'
import type { SlowedRate } from '@herald/contracts/calls/audience'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

/** A rate as it is now. `perSecond`: null for no limit. `aheadMs`: in how many milliseconds the next push has its turn; below 0 when it had it. */
export type RateNow = { perSecond: number | null; aheadMs: number }

/** A slowed rate grows by 5 % a second. A rate without a limit of its own has none again when it has grown to this. */
const growth = sql.lit(1.05)
const noLimitFrom = sql.lit(20_000)
const ofMinute = sql`interval '1 minute'`

/** A quota that was measured holds for five minutes; then the rate grows on, to find out whether the quota has become larger. */
const grown = sql`(case when r.per_second is null then r.most
  when r.most is null and r.per_second * power(${growth}, least(extract(epoch from now() - r.changed_at), 600)) > ${noLimitFrom} then null
  else least(r.per_second * power(${growth}, least(extract(epoch from now() - r.changed_at), 600)), r.most,
    case when r.found is not null and r.slowed_at > now() - interval '5 minutes' then greatest(r.found, r.per_second) end) end)`

const now = sql<number>`(extract(epoch from next_at - now()) * 1000)::float8 as "aheadMs"`

/** Writes how many pushes were taken and accepted, and gives the rate. Credentials that no process has used yet get a row. */
export async function writeRate(
  db: Db,
  { scope, most, platform }: ProviderRate,
  { taken, accepted }: { taken: number; accepted: number },
): Promise<RateNow> {
  const { rows } = await sql<RateNow>`
    insert into send_rates as r (scope, platform, per_second, most, next_at, accepted)
    values (${scope}, ${platform}, ${most}, ${most}, now() - ${ofMinute} + make_interval(secs => ${taken}::float8 / coalesce(${most}::float8, 1e9)), ${accepted})
    on conflict (scope) do update set per_second = ${grown}, most = excluded.most, changed_at = now(),
      -- What was taken ahead of its turn waits for less time when the rate has grown.
      next_at = case when r.next_at > now() then now() + (r.next_at - now()) * coalesce(r.per_second / ${grown}, 0)
        else greatest(r.next_at, now() - ${ofMinute}) end + make_interval(secs => coalesce(${taken}::float8 / ${grown}, 0)),
      minute_at = case when r.minute_at > now() - ${ofMinute} then r.minute_at else now() end,
      accepted_since = r.accepted_since + excluded.accepted,
      accepted = case when r.minute_at > now() - ${ofMinute} then r.accepted else 0 end + excluded.accepted,
      accepted_before = case when r.minute_at > now() - ${ofMinute} then r.accepted_before
        when r.minute_at > now() - 2 * ${ofMinute} then r.accepted else 0 end
    returning per_second as "perSecond", ${now}`.execute(db)
  return rows[0] ?? { perSecond: most, aheadMs: 0 }
}

/** Finds how many pushes these batches hold. */
export async function findSizes(db: Db, batchIds: string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; size: number }>`
    select id, cardinality(subscription_ids) as size from batches where id = any(${batchIds}::text[])`.execute(db)
  return new Map(rows.map(({ id, size }) => [id, size]))
}

/** Whether a quota answer is to a batch that was taken after the rate last fell. */
const isNews = (takenAgoMs: number) =>
  sql`(r.slowed_at is null or r.slowed_at < now() - make_interval(secs => ${takenAgoMs}::float8 / 1000))`

/** Lets credentials rest for a moment after a quota answer. Gives the rate; undefined when the answer says nothing new. */
export async function pause(
  db: Db,
  { scope, takenAgoMs, ms }: { scope: string; takenAgoMs: number; ms: number },
): Promise<RateNow | undefined> {
  const { rows } = await sql<RateNow>`
    update send_rates r set next_at = greatest(r.next_at, now() + make_interval(secs => ${ms}::float8 / 1000))
    where r.scope = ${scope} and ${isNews(takenAgoMs)}
    returning coalesce(per_second, 1e6) as "perSecond", ${now}`.execute(db)
  return rows[0]
}

/**
 * Slows credentials down after a quota answer to a batch taken `takenAgoMs` ago: to 70 % of the rate, or to last minute's accepted pushes if less.
 * Ignores batches taken before the rate last fell. Gives the rate.
 */
export async function slowDown(
  db: Db,
  { scope, appId, takenAgoMs }: { scope: string; appId: string; takenAgoMs: number },
): Promise<RateNow | undefined> {
  const lastMinute = sql`(r.accepted + r.accepted_before * greatest(0, 1 - extract(epoch from now() - r.minute_at) / 60)) / 60`
  const sinceSlowed = sql`nullif(extract(epoch from now() - r.slowed_at), 0)::float8`
  // What was accepted between two quota answers is the quota: the provider had nothing left at both.
  const found = sql`(case when ${sinceSlowed} > 5 and r.accepted_since / ${sinceSlowed} > r.per_second / 4
    then 0.97 * r.accepted_since / ${sinceSlowed} end)`
  // `least` leaves out what is null.
  await sql`
    update send_rates r set
      per_second = greatest(1, least(0.7 * coalesce(${grown}, greatest(10, ${lastMinute})), nullif(${lastMinute}, 0), ${found})),
      next_at = greatest(r.next_at, now()), changed_at = now(), slowed_at = now(), accepted_since = 0, found = ${found},
      app_ids = case when ${appId} = any(r.app_ids) or exists (select from erased_apps where app_id = ${appId}) then r.app_ids else (${appId}::text || r.app_ids)[:20] end
    where r.scope = ${scope} and ${isNews(takenAgoMs)}`.execute(db)
  const { rows } = await sql<RateNow>`select per_second as "perSecond", ${now} from send_rates where scope = ${scope}`.execute(db)
  return rows[0]
}

/**
 * Holds free batches of the bulk lane until their turn, and answers the ids of those that are held. It leaves out batches that are decided or
 * cancelled, and those whose ttl ends before their turn.
 */
export async function holdForTurn(db: Db, held: { batchId: string; inMs: number }[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    update batches b set due_at = now() + make_interval(secs => told.in_ms / 1000), turn_at = now() + make_interval(secs => told.in_ms / 1000)
    from unnest(${held.map(({ batchId }) => batchId)}::text[], ${held.map(({ inMs }) => inMs)}::float8[]) as told(id, in_ms)
      cross join lateral (select campaign_id from batches where id = told.id offset 0) as asked
      left join fan_outs f on f.campaign_id = asked.campaign_id
    where b.id = any(${held.map(({ batchId }) => batchId)}::text[]) and b.id = told.id and b.lane = 'bulk' and b.done_at is null and b.decided is null and b.held_since is null and (b.lease_until is null or b.lease_until <= now())
      and f.flow is distinct from 'cancelled'
      and b.queued_at + make_interval(secs => coalesce((f.send ->> 'ttl')::float8, 0)) > now() + make_interval(secs => told.in_ms / 1000)
    returning b.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const isSlowed = sql`slowed_at is not null and per_second is not null
  and per_second * power(${growth}, least(extract(epoch from now() - changed_at), 600)) < coalesce(most, ${noLimitFrom})`

/** Lists the rates of an app's credentials that a provider has slowed down. */
export async function listSlowed(db: Db, appId: string): Promise<SlowedRate[]> {
  const { rows } = await sql<Omit<SlowedRate, 'since'> & { since: Date }>`
    select platform, ${grown} as "perSecond", slowed_at as since from send_rates r where ${appId} = any(app_ids) and ${isSlowed}
    order by platform, scope`.execute(db)
  return rows.map(({ since, ...rate }) => ({ ...rate, since: since.toISOString() }))
}

export async function countSlowed(db: Db): Promise<{ platform: Platform; count: number }[]> {
  const { rows } = await sql<{ platform: Platform; count: number }>`
    select platform, count(*) as count from send_rates where ${isSlowed} group by platform`.execute(db)
  return rows
}

/** Takes a deleted app out of the rates of its credentials, which other apps may share. */
export const leaveRates = (db: Db, appId: string) =>
  sql`update send_rates set app_ids = array_remove(app_ids, ${appId}) where ${appId} = any(app_ids)`.execute(db)

/** Forgets credentials that nobody has used for a week. */
export async function purgeRates(db: Db): Promise<boolean> {
  await sql`delete from send_rates where changed_at < now() - interval '7 days'`.execute(db)
  return false
}
