import { platforms, type Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { BatchPointerRow } from '../../delivery/store/batches.ts'
import type { Db } from '../../store/tables.ts'
import { appsOf, dueAgain, onLane, roomOnLane } from '../../store/turns.ts'

/** Of these platforms of an app those on which no more batches of small sends may be pointed at now: what they get waits for its turn. */
export async function findFullLanes(db: Db, appId: string): Promise<Set<Platform>> {
  const { rows } = await sql<{ platform: Platform }>`
    select platform from unnest(${[...platforms]}::text[]) as p(platform) where ${roomOnLane(sql`${appId}`, sql`p.platform`)} = 0`.execute(
    db,
  )
  return new Set(rows.map(({ platform }) => platform))
}

/**
 * Takes what nobody has taken, or whose taker is gone, to point at it (again), by turns of apps. Of what is small and fresh an app and
 * platform has only so many pointers under way. Two sweeps never take the same.
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
      -- More than are taken: another sweep may have locked the first of them.
      select b.id from turns join batches b on b.id = turns.id
      where b.id = any(array(select id from turns)) and b.due_at <= now() and b.done_at is null
      order by turns.turn limit ${limit} for update of b skip locked
    )
    update batches b set pointer_no = pointer_no + 1, due_at = now() + make_interval(secs => least(5 * (pointer_no + 2), 15))
    where b.id = any(array(select id from due))
    returning b.id as "batchId", b.campaign_id as "campaignId", b.app_id as "appId", b.platform, b.lane, b.pointer_no as "pointerNo",
      cardinality(b.subscription_ids) as size`.execute(db)
  // What was pointed at twice and not taken goes by itself: it may have failed in company.
  return rows.map(({ size = 0, ...row }) => (row.pointerNo > 1 ? row : { ...row, size }))
}
