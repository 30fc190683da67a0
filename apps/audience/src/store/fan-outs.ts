import type { AppSettings } from '@herald/contracts/app'
import { batchSize, bulkWindow, pageSize, type FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Lane, Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db, FanOut, FanOutFailure } from './tables.ts'

/** A page that takes longer than this is taken for dead; another process cuts it then. The compare-and-set keeps it single. */
const pageLease = sql<Date>`now() + interval '15 seconds'`
/** What is not done by then is pointed at again by the sweep. */
const soon = sql<Date>`now() + interval '5 seconds'`

export const findFanOut = (db: Db, campaignId: string): Promise<FanOut | undefined> =>
  db.selectFrom('fan_outs').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()

/** Starts a fan-out, once: who is in it is fixed here, by the greatest id and the database's time. */
export const insertFanOut = (db: Db, { send, target }: { send: FrozenSend; target: FrozenTarget }) =>
  sql`
    insert into fan_outs (campaign_id, app_id, send, target, bound_id)
    select ${send.campaignId}, ${send.appId}, ${JSON.stringify(send)}::jsonb, ${JSON.stringify(target)}::jsonb,
      coalesce((select max(id) from subscriptions where app_id = ${send.appId}), '')
    on conflict (campaign_id) do nothing`.execute(db)

/** Keeps the app's settings as they are at the first page; whoever comes second finds the first's. */
export const freezeSettings = (db: Db, campaignId: string, settings: AppSettings): Promise<FanOut | undefined> =>
  db
    .updateTable('fan_outs')
    .set({ settings: sql<string>`coalesce(settings, ${JSON.stringify(settings)}::jsonb)` })
    .where('campaign_id', '=', campaignId)
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** Takes a page: it is the next, nobody else is at it. Undefined: it is cut already, or another is cutting it. */
export const takePage = (db: Db, campaignId: string, page: number): Promise<FanOut | undefined> =>
  db
    .updateTable('fan_outs')
    .set({ state: 'running', lease_until: pageLease, due_at: pageLease })
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .where('state', 'in', ['running', 'waiting'])
    .where('settled_at', 'is', null)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', sql<Date>`now()`)]))
    .returningAll()
    .executeTakeFirst()

/** Gives a page back that could not be cut, so that nobody waits for the lease to end. */
export const returnPage = (db: Db, campaignId: string, page: number) =>
  db
    .updateTable('fan_outs')
    .set({ lease_until: null, due_at: soon })
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .execute()

export type CutPage = { cursor: string; lane: Lane; isLast: boolean; counts: Record<Platform, number> }

/** Moves a fan-out from page n to n + 1: the compare-and-set that makes a page's batches once. Undefined: another was first. */
export const advanceFanOut = (
  db: Db,
  { campaign_id, page }: FanOut,
  { cursor, lane, isLast, counts }: CutPage,
): Promise<FanOut | undefined> =>
  db
    .updateTable('fan_outs')
    .set((eb) => ({
      cursor,
      lane,
      page: page + 1,
      queued_ios: eb('queued_ios', '+', counts.ios),
      queued_android: eb('queued_android', '+', counts.android),
      queued_web: eb('queued_web', '+', counts.web),
      state: isLast ? 'fanned_out' : 'running',
      // Nobody scans any more; external ids are not kept longer than they are needed.
      ...(isLast ? { target: null } : {}),
      lease_until: null,
      due_at: soon,
    }))
    .where('campaign_id', '=', campaign_id)
    .where('page', '=', page)
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** Ends a fan-out that cannot go on. Its failure is a thing to be told, so the page rises as with a page that was cut. */
export const failFanOut = (db: Db, { campaign_id, page }: FanOut, failure: FanOutFailure): Promise<FanOut | undefined> =>
  db
    .updateTable('fan_outs')
    .set({ state: 'failed', failure: JSON.stringify(failure), page: page + 1, lease_until: null, due_at: soon })
    .where('campaign_id', '=', campaign_id)
    .where('page', '=', page)
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** The totals up to a page have been told. A fan-out that is over has nothing more to do; a failed one is settled with that. */
export const markTold = (db: Db, { campaign_id, page }: FanOut) =>
  sql`
    update fan_outs set
      told_page = greatest(told_page, ${page}),
      due_at = case when state in ('fanned_out', 'failed') and page = ${page} then null else due_at end,
      settled_at = case when state = 'failed' then coalesce(settled_at, now()) else settled_at end,
      send = case when state = 'failed' then null else send end,
      target = case when state = 'failed' then null else target end
    where campaign_id = ${campaign_id}`.execute(db)

/** Parks a fan-out until one of its app's bulk batches is finished; looked at again after 15 s in case nobody says so. */
export const waitForWindow = (db: Db, { campaign_id, page }: FanOut) =>
  db
    .updateTable('fan_outs')
    .set({ state: 'waiting', lease_until: null, due_at: sql<Date>`now() + interval '15 seconds'` })
    .where('campaign_id', '=', campaign_id)
    .where('page', '=', page)
    .execute()

const openBulkBatches = sql`lane = 'bulk' and done_at is null and retry_of is null and not_before is null`

/** A page makes up to ten batches of one platform: with more than this many open there is no room for it in the window. */
const roomForPage = bulkWindow - pageSize / batchSize

/** Whether a platform of the app has too many ready or leased bulk batches for another page. Held ones and retries do not count. */
export async function isBulkWindowFull(db: Db, appId: string): Promise<boolean> {
  const { rows } = await sql`
    select from batches where app_id = ${appId} and ${openBulkBatches}
    group by platform having count(*) > ${sql.lit(roomForPage)} limit 1`.execute(db)
  return rows.length > 0
}

export type PagePointer = { campaignId: string; page: number; pointerNo: number }

/** Wakes the fan-out of an app that has waited longest, if there is room for its next page. Answers the pointer to publish. */
export async function wakeWaiting(db: Db, appId: string): Promise<PagePointer[]> {
  const { rows } = await sql<PagePointer>`
    with longest as (
      select campaign_id from fan_outs where state = 'waiting' and app_id = ${appId} order by due_at limit 1 for update skip locked
    )
    update fan_outs f set state = 'running', pointer_no = pointer_no + 1, due_at = ${soon}
    from longest
    where f.campaign_id = longest.campaign_id and not exists (
      select from batches where batches.app_id = ${appId} and ${openBulkBatches}
      group by platform having count(*) > ${sql.lit(roomForPage)}
    )
    returning f.campaign_id as "campaignId", f.page, f.pointer_no as "pointerNo"`.execute(db)
  return rows
}

/** Takes fan-outs whose next step nobody has done in time: a page not cut, totals not told. Two sweeps never take the same. */
export async function takeDueFanOuts(db: Db, limit: number): Promise<PagePointer[]> {
  const { rows } = await sql<PagePointer>`
    with due as (
      select campaign_id from fan_outs where due_at <= now() order by due_at limit ${limit} for update skip locked
    )
    update fan_outs f set pointer_no = pointer_no + 1, due_at = now() + make_interval(secs => least(5 * (pointer_no + 2), 15))
    from due where f.campaign_id = due.campaign_id
    returning f.campaign_id as "campaignId", f.page, f.pointer_no as "pointerNo"`.execute(db)
  return rows
}

/** Every push of these campaigns has its outcome: no page and no total is due any more. Locks in the order of ids. */
export const settleFanOuts = (db: Db, campaignIds: string[]) =>
  sql`
    with settled as (
      select campaign_id from fan_outs where campaign_id = any(${campaignIds}::text[]) order by campaign_id for no key update
    )
    update fan_outs f set settled_at = coalesce(settled_at, now()), lease_until = null, due_at = null
    from settled where f.campaign_id = settled.campaign_id`.execute(db)

const clearedAtOnce = 500

/**
 * Empties settled fan-outs whose batches are all finished, and drops these; at most 500 at a time, `true` when there may be
 * more. The rows stay, so that a late repeat of a pointer sends nothing twice. A sweep's work and not the settlement's: a
 * commit of its own per settlement cost a one-device send 2.3 ms. The partial index holds only what waits for this.
 */
export async function clearSettled(db: Db): Promise<boolean> {
  const { rows } = await sql`
    with over as (
      select campaign_id from fan_outs f
      where settled_at is not null and send is not null
        and not exists (select from batches b where b.campaign_id = f.campaign_id and b.done_at is null)
      limit ${clearedAtOnce} for update skip locked
    ), dropped as (
      delete from batches using over where batches.campaign_id = over.campaign_id
    )
    update fan_outs f set send = null, target = null, settings = null from over where f.campaign_id = over.campaign_id
    returning f.campaign_id`.execute(db)
  return rows.length === clearedAtOnce
}

/** What was frozen of these campaigns: the send when it was accepted, the app's settings at the first page. */
export const findFrozen = (db: Db, campaignIds: string[]) =>
  db.selectFrom('fan_outs').select(['campaign_id', 'send', 'settings']).where('campaign_id', 'in', campaignIds).execute()

export const findUntold = (db: Db, campaignIds: string[]): Promise<FanOut[]> =>
  db
    .selectFrom('fan_outs')
    .selectAll()
    .where('campaign_id', 'in', campaignIds)
    .whereRef('told_page', '<', 'page')
    .where('settled_at', 'is', null)
    .execute()

/** Removes rows settled longer ago than the retention; at most 1,000 at a time. */
export const purgeFanOuts = (db: Db, retentionDays: number) =>
  sql`
    delete from fan_outs where campaign_id in (
      select campaign_id from fan_outs where settled_at < now() - make_interval(days => ${retentionDays}) limit 1000
    )`.execute(db)
