import { platforms, type Lane, type Platform } from '@herald/contracts/platform'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from './tables.ts'
import { appsOf, dueAgain, dueFanOuts, notDone, onLane, roomOnLane, sweptAgain } from './turns.ts'

export type BatchPointerRow = {
  batchId: string
  campaignId: string
  appId: string
  platform: Platform
  lane: Lane
  pointerNo: number
  /** How many pushes the batch holds. Left out when the batch must not share a message with other batches. */
  size?: number
}

export type PagePointer = { campaignId: string; page: number; pointerNo: number; lane: Lane | null }

/** Gives the earliest `due_at` of these rows, by two index look-ups for each app. */
const firstDue = (rows: RawBuilder<unknown>) => sql`(
  select min(first.due_at) from ${appsOf(rows)} apps
    cross join lateral (select t.due_at from ${rows} and t.app_id = apps.app_id order by t.due_at limit 1) as first)`

/**
 * Gives the milliseconds until the first row is due for the sweep, by the database's clock; undefined when no row has a `due_at`. Announcements that
 * were never repeated do not count.
 */
export async function millisecondsUntilDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from least(
      ${firstDue(onLane)}, ${firstDue(dueAgain)}, ${firstDue(dueFanOuts)},
      -- Announcements that were never repeated may have to wait (mostRepeated), and the sweep looks for them every second anyway.
      (select min(due_at) from announcements where pointer_no > 0)
    ) - now()) * 1000)::float8 as ms`.execute(db)
  return rows[0]?.ms ?? undefined
}

/** Gives for each queue (batches, fan-outs, announcements) for how long its oldest row has waited for the sweep; 0 when no row is due. */
export async function findDueAges(db: Db): Promise<{ queue: string; seconds: number }[]> {
  const { rows } = await sql<{ queue: string; seconds: number }>`
    select queue, coalesce(greatest(extract(epoch from now() - due_at), 0), 0)::float8 as seconds
    from (values
      ('batches', least(${firstDue(onLane)}, ${firstDue(dueAgain)})),
      ('fan-outs', ${firstDue(dueFanOuts)}),
      ('announcements', (select min(due_at) from announcements))
    ) as queues(queue, due_at)`.execute(db)
  return rows
}

/**
 * Makes due every untaken batch and page that waits for nothing but its pointer, because NATS may have lost all pointers: new sends then need not
 * wait up to 5 s. A second pointer does no harm.
 */
export async function makeUntakenDue(db: Db): Promise<void> {
  await sql`
    update batches set due_at = now()
    where ${notDone} and due_at > now() and takes = 0 and held_since is null and (not_before is null or not_before <= now())`.execute(db)
  await sql`update fan_outs set due_at = now() where due_at > now() and state = 'running' and lease_until is null and failures = 0`.execute(
    db,
  )
}

/**
 * Takes batches whose `due_at` has passed, with apps taking turns (turns.ts), never one twice in parallel sweeps. An app's new batches of small sends
 * have at most `pointedAtOnce` pointers at a time on a platform.
 */
export async function takeDueBatches(db: Db, limit: number): Promise<BatchPointerRow[]> {
  const { rows } = await sql<BatchPointerRow>`
    with turns as (
      select due.id, due.turn
      from (select app_id from ${appsOf(onLane)} fresh union select app_id from ${appsOf(dueAgain)} others) apps
        cross join lateral (
          select id, row_number() over (order by due_at) as turn from (
            (select t.id, t.due_at from ${dueAgain} and t.app_id = apps.app_id and t.due_at <= now() order by t.due_at limit ${limit})
            union all
            select fresh.id, fresh.due_at from unnest(${[...platforms]}::text[]) as p(platform) cross join lateral (
              select t.id, t.due_at from ${onLane} and t.app_id = apps.app_id and t.platform = p.platform and t.due_at <= now()
              order by t.due_at limit ${roomOnLane(sql`apps.app_id`, sql`p.platform`)}
            ) as fresh
          ) as of_app
        ) as due
      order by due.turn limit ${4 * limit}
    ), due as (
      -- Chooses from more rows than it takes, because another sweep may have locked the first of them.
      select b.id from turns join batches b on b.id = turns.id
      where b.id = any(array(select id from turns)) and b.due_at <= now() and b.done_at is null
      order by turns.turn limit ${limit} for update of b skip locked
    )
    update batches b set pointer_no = pointer_no + 1, due_at = ${sweptAgain}
    where b.id = any(array(select id from due))
    returning b.id as "batchId", b.campaign_id as "campaignId", b.app_id as "appId", b.platform, b.lane, b.pointer_no as "pointerNo",
      cardinality(b.subscription_ids) as size`.execute(db)
  // A batch that had a pointer before gets a message of its own: other batches in a shared message may be the reason that it was not taken.
  return rows.map(({ size = 0, ...row }) => (row.pointerNo > 1 ? row : { ...row, size }))
}

/**
 * Takes fan-outs whose `due_at` has passed, with apps taking turns (turns.ts), never one twice in parallel sweeps. A page is missing or tried again,
 * a wave begins, or campaigns and tracker do not know how far it has come.
 */
export async function takeDueFanOuts(db: Db, limit: number): Promise<PagePointer[]> {
  const { rows } = await sql<PagePointer>`
    with turns as (
      select due.campaign_id, due.turn from ${appsOf(dueFanOuts)} apps cross join lateral (
        select t.campaign_id, row_number() over (order by t.due_at) as turn from ${dueFanOuts} and t.app_id = apps.app_id and t.due_at <= now()
        order by t.due_at limit ${limit}
      ) as due
      order by due.turn limit ${4 * limit}
    ), due as (
      -- Chooses from more rows than it takes, because another sweep may have locked the first of them.
      select f.campaign_id from turns join fan_outs f on f.campaign_id = turns.campaign_id
      where f.campaign_id = any(array(select campaign_id from turns)) and f.due_at <= now()
      order by turns.turn limit ${limit} for update of f skip locked
    )
    update fan_outs f set pointer_no = pointer_no + 1, due_at = ${sweptAgain},
      state = case when state = 'between_waves' then 'running' else state end
    where f.campaign_id = any(array(select campaign_id from due))
    returning f.campaign_id as "campaignId", f.page, f.pointer_no as "pointerNo", f.lane`.execute(db)
  return rows
}
