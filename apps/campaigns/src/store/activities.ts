import { activityHours } from '@herald/contracts/live-activity'
import { sql } from 'kysely'
import type { NewCampaign } from './campaigns.ts'
import type { Db } from './tables.ts'

const nowSeconds = sql`floor(extract(epoch from now()))::bigint`

/**
 * Gives the sends of these campaigns their timestamps: each is `max(now, last + 1)` of its activity (spec: activities/order). The row of an
 * activity is locked until the campaigns are committed, so that a higher timestamp is never accepted first.
 */
export async function stampActivities(trx: Db, campaigns: NewCampaign[]): Promise<void> {
  const sends = campaigns.flatMap(({ appId, send: { activity } }) => (activity ? [{ appId, activity }] : []))
  if (sends.length === 0) return
  const nameOf = (appId: string, activityId: string) => `${appId} ${activityId}`
  const byActivity = Map.groupBy(sends, ({ appId, activity }) => nameOf(appId, activity.activityId))
  const moved = [...byActivity.values()].flatMap(([one, ...more]) => (one ? [{ ...one, count: 1 + more.length }] : []))
  // A new row ends `count` seconds after now, less one. On a known row the same count is added to its last timestamp, unless now is later.
  const { rows } = await sql<{ appId: string; activityId: string; lastAt: number }>`
    insert into activities as a (app_id, activity_id, last_at)
    select app_id, activity_id, ${nowSeconds} + count - 1
    from unnest(
      ${moved.map(({ appId }) => appId)}::text[], ${moved.map(({ activity }) => activity.activityId)}::text[], ${moved.map(({ count }) => count)}::int[]
    ) as given(app_id, activity_id, count)
    order by app_id, activity_id
    on conflict (app_id, activity_id) do update
      set last_at = greatest(excluded.last_at, a.last_at + excluded.last_at - ${nowSeconds} + 1)
    returning app_id as "appId", activity_id as "activityId", last_at as "lastAt"`.execute(trx)
  for (const { appId, activityId, lastAt } of rows) {
    const of = byActivity.get(nameOf(appId, activityId)) ?? []
    for (const [place, { activity }] of of.entries()) activity.timestamp = lastAt - of.length + 1 + place
  }
}

/** Forgets at most 1,000 activities that have ended: the clock is past their last timestamp, so a later send is later than all before it. */
export async function deleteOldActivities(db: Db): Promise<number> {
  const { rows } = await sql`
    with old as (
      select app_id, activity_id from activities where last_at < ${nowSeconds} - ${sql.lit(activityHours * 3_600)} order by last_at limit 1000
      for update skip locked
    )
    delete from activities using old where activities.app_id = old.app_id and activities.activity_id = old.activity_id
    returning activities.activity_id`.execute(db)
  return rows.length
}
