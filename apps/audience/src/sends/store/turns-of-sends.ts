import { platformColumns } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { notDone } from '../../store/turns.ts'
import { aheadMs, lateMs, type AsksTurn } from '../core/pace.ts'
import type { FanOut } from './fan-outs.ts'

type One = { appId: string; campaignId: string }

/** The earliest instant that the turn of a send counts from: what was missed longer ago, in a pause or an outage, is not caught up. */
const late = sql`now() - ${sql.lit(`${lateMs} milliseconds`)}::interval`

/** The batches `b` of a send that wait for their turn. A batch that an open circuit holds waits for the circuit first. */
const waiting = ({ appId, campaignId }: One) => sql`
  b.app_id = ${appId} and b.campaign_id = ${campaignId} and ${notDone} and b.paced
    and (b.lease_until is null or b.lease_until <= now()) and b.held_since is null`

/**
 * Gives each waiting batch of a send its turn, one after the other from the send's next turn on, by the rate that it has now. Batches that another
 * transaction takes are left out.
 */
export async function stampTurns(db: Db, { appId, campaignId }: One): Promise<void> {
  await sql`insert into send_turns (app_id, campaign_id) values (${appId}, ${campaignId}) on conflict do nothing`.execute(db)
  await sql`
    with pace as materialized (
      select greatest(t.next_at, ${late}) as at, f.per_minute / 60.0 as per_second
      from send_turns t join fan_outs f on f.campaign_id = t.campaign_id
      where t.app_id = ${appId} and t.campaign_id = ${campaignId} for no key update of t
    ), waiting as materialized (
      select b.id, b.takes, b.batch_no, cardinality(b.subscription_ids) as size from batches b
      where ${waiting({ appId, campaignId })} order by b.id for no key update skip locked
    ), turns as (
      select id, coalesce(sum(size) over (order by takes desc, batch_no, id rows between unbounded preceding and 1 preceding), 0) as before
      from waiting
    )
    update batches b set not_before = pace.at + make_interval(secs => turns.before / pace.per_second),
      due_at = pace.at + make_interval(secs => turns.before / pace.per_second)
    from turns, pace where b.id = any(array(select id from waiting)) and b.id = turns.id`.execute(db)
}

/** Locks the turns of a send, as a take does before it locks the batches: in another order the two would wait for each other. */
export const holdTurns = (trx: Db, { appId, campaignId }: One) =>
  sql`select from send_turns where app_id = ${appId} and campaign_id = ${campaignId} for no key update`.execute(trx)

/** Makes the waiting batches of a send wait for turns, or, when its rate was taken away, go out at once. */
export async function paceBatches(db: Db, one: One, isPaced: boolean): Promise<void> {
  const { appId, campaignId } = one
  if (!isPaced) {
    await sql`
      update batches b set paced = null, not_before = null, due_at = now()
      where b.id = any(array(select b.id from batches b where ${waiting(one)} order by b.id for no key update skip locked))`.execute(db)
    return
  }
  await sql`
    update batches b set paced = true
    where b.id = any(array(
      select b.id from batches b
      where b.app_id = ${appId} and b.campaign_id = ${campaignId} and ${notDone} and b.paced is null and b.decided is null and b.tries = 0
        and (b.lease_until is null or b.lease_until <= now())
      order by b.id for no key update skip locked
    ))`.execute(db)
  await stampTurns(db, one)
}

/** Locks the turns of the sends of these batches, so that of all processes one decides at a time, and says when each send has its next turn. */
export async function lockTurns(db: Db, batchIds: string[]): Promise<(AsksTurn & { appId: string })[]> {
  const { rows } = await sql<AsksTurn & { appId: string }>`
    with asked as materialized (
      select b.id, b.app_id, b.campaign_id, b.not_before, cardinality(b.subscription_ids) as size from batches b where b.id = any(${batchIds}::text[])
    ), turns as materialized (
      select t.campaign_id, t.next_at from send_turns t
      where (t.app_id, t.campaign_id) in (select app_id, campaign_id from asked) order by t.app_id, t.campaign_id for no key update
    )
    select asked.id as "batchId", asked.app_id as "appId", asked.campaign_id as "campaignId", asked.size, f.per_minute as "perMinute",
      coalesce(extract(epoch from turns.next_at - now()) * 1000, 0)::float8 as "aheadMs"
    from asked join fan_outs f on f.campaign_id = asked.campaign_id left join turns on turns.campaign_id = asked.campaign_id
    order by asked.not_before nulls first, asked.id`.execute(db)
  return rows
}

/** Moves the turns of sends by the pushes of batches that were taken now. Decided batches, which send nothing, move none. */
export const moveTurns = (db: Db, taken: readonly (One & { size: number; decided: unknown })[]) => {
  const sent = taken.filter(({ decided }) => decided === null)
  const campaignIds = sent.map(({ campaignId }) => campaignId)
  return sql`
    update send_turns t set next_at = greatest(t.next_at, ${late}) + make_interval(secs => taken.pushes * 60.0 / f.per_minute)
    from (
      select campaign_id, sum(size)::float8 as pushes
      from unnest(${campaignIds}::text[], ${sent.map(({ size }) => size)}::int[]) as one(campaign_id, size) group by campaign_id
    ) as taken join fan_outs f on f.campaign_id = taken.campaign_id
    where (t.app_id, t.campaign_id) in (select * from unnest(${sent.map(({ appId }) => appId)}::text[], ${campaignIds}::text[]))
      and t.campaign_id = taken.campaign_id and f.campaign_id = any(${campaignIds}::text[]) and f.per_minute is not null`.execute(db)
}

/** Gives in how many milliseconds the next page of a send with a rate is to be made; 0 or less for now. */
export async function millisecondsUntilPage(db: Db, { appId, campaignId }: One): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from greatest(coalesce(t.next_at, now()), now()) - now()) * 1000 + coalesce(open.pushes, 0) * 60000.0 / f.per_minute)::float8
      - ${aheadMs}::float8 as ms
    from fan_outs f left join send_turns t on t.app_id = f.app_id and t.campaign_id = f.campaign_id
      cross join lateral (select sum(cardinality(b.subscription_ids)) as pushes from batches b where ${waiting({ appId, campaignId })}) as open
    where f.campaign_id = ${campaignId} and f.per_minute is not null`.execute(db)
  return rows[0]?.ms ?? 0
}

/** Gives a taken page back until its pushes have their turns. A rate that was changed since the page was taken has made it due already. */
export const waitForTurns = (db: Db, { campaignId, page, perMinute }: Pick<FanOut, 'campaignId' | 'page' | 'perMinute'>, ms: number) =>
  sql`
    update fan_outs set lease_until = null, due_at = now() + make_interval(secs => ${ms}::float8 / 1000)
    where campaign_id = ${campaignId} and page = ${page} and settled_at is null and per_minute is not distinct from ${perMinute}`.execute(
    db,
  )

/** At most this many devices are counted for an estimate. */
const mostCounted = 1_000_000

/**
 * Estimates how many pushes of a send are not handed over yet: those that wait, and of the devices ahead the share that was meant so far. Null for a
 * send in waves, and before its first page.
 */
export async function estimateLeft(db: Db, { appId, campaignId }: One): Promise<number | null> {
  const { rows } = await sql<{ left: number | null }>`
    with f as materialized (select * from fan_outs where campaign_id = ${campaignId} and app_id = ${appId} and settled_at is null),
    open as (
      select coalesce(sum(cardinality(b.subscription_ids)), 0) as pushes from batches b
      where b.app_id = ${appId} and b.campaign_id = ${campaignId} and ${notDone} and b.decided is null
    ), counted as (
      select ${sql.raw(platformColumns('queued').join(' + '))} as queued,
        case when target ->> 'kind' not in ('all', 'segment') then jsonb_array_length(target -> (target ->> 'kind')) end as listed,
        (select count(*) from (select from subscriptions s where s.app_id = f.app_id and s.id <= f.cursor limit ${mostCounted}) as behind) as behind,
        (select count(*) from (
          select from subscriptions s where s.app_id = f.app_id and s.id > f.cursor and s.id <= f.bound_id limit ${mostCounted}
        ) as ahead) as ahead
      from f
    )
    select case
      when f.state in ('fanned_out', 'failed') then open.pushes
      when f.waves is not null or f.page < 2 then null
      when counted.listed is not null then open.pushes + greatest(0, counted.listed - counted.queued)
      else open.pushes + counted.ahead * counted.queued / greatest(1, counted.behind)
    end::float8 as left
    from f, open, counted`.execute(db)
  const left = rows[0]?.left
  return left === undefined || left === null ? null : Math.round(left)
}

/** Deletes the turns of sends that are settled or gone. */
export async function purgeTurns(db: Db): Promise<boolean> {
  await sql`
    delete from send_turns t
    where not exists (select from fan_outs f where f.campaign_id = t.campaign_id and f.settled_at is null)`.execute(db)
  return false
}
