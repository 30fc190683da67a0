import { bulkWindow } from '@herald/contracts/batch'
import { platforms, type Lane, type Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import { mostBatches, mostBatchesOfPage } from '../core/batching.ts'
import { wavesAfter, type Wave } from '../core/waves.ts'
import type { Bounds } from './pages.ts'
import type { Db, FanOut, FanOutFailure, FanOutState } from '../../store/tables.ts'
import { appsOf, dueFanOuts } from '../../store/turns.ts'

/** A page that takes longer than this is taken for dead; another process cuts it then. The compare-and-set keeps it single. */
const pageLease = sql<Date>`now() + interval '15 seconds'`
/** What is not done by then is pointed at again by the sweep. */
const soon = sql<Date>`now() + interval '5 seconds'`

export const findFanOut = (db: Db, campaignId: string): Promise<FanOut | undefined> =>
  db.selectFrom('fan_outs').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()

/** What a page leaves behind: how far its wave has come, and what is next: another page, a wave at its instant (ISO), or nothing. */
export type CutPage = {
  cursor: string
  lane: Lane
  counts: Record<Platform, number>
  /** How many batches it made. */
  made: number
  next: 'page' | { waveAt: string } | 'nothing'
}

/** A fan-out as it begins: everything that is frozen, and who is in it. */
export type NewFanOut = Pick<FanOut, 'campaign_id' | 'app_id' | 'send' | 'target' | 'settings' | 'waves'> & Bounds

/**
 * How a new row stands: its first page is cut already, or the wave of that is yet to come, or it waits for its turn, or its first page failed
 * (the code) and is tried again, or it cannot go on.
 */
export type Beginning = { cut: CutPage } | { waveAt: string } | { lane: Lane | null } | { failedOf: string } | { failure: FanOutFailure }

/**
 * Inserts a fan-out, once; undefined: there was one, or its app was erased. As a rule its first page is cut in the same transaction,
 * so that a small send is one commit. Nobody has been told of it: `told_page` is 0.
 */
export async function insertFanOut(db: Db, fanOut: NewFanOut, beginning: Beginning): Promise<FanOut | undefined> {
  const { waves } = fanOut
  const cut = 'cut' in beginning ? beginning.cut : undefined
  const failure = 'failure' in beginning ? beginning.failure : undefined
  const failedOf = 'failedOf' in beginning ? beginning.failedOf : null
  const running = { state: 'running' as const, due_at: failedOf ? afterFailures(1) : soon }
  const state = cut ? stateAfter(cut) : 'waveAt' in beginning ? stateAtWave(beginning.waveAt) : running
  return db
    .insertInto('fan_outs')
    .values({
      campaign_id: fanOut.campaign_id,
      app_id: fanOut.app_id,
      send: JSON.stringify(fanOut.send),
      target: cut?.next === 'nothing' ? null : JSON.stringify(fanOut.target),
      settings: fanOut.settings && JSON.stringify(fanOut.settings),
      waves: waves && JSON.stringify(cut ? afterPage({ waves, wave: 0 }, cut, noneQueued) : waves),
      started_at: sql<Date>`${fanOut.exactStart}::timestamptz`,
      bound_id: fanOut.bound_id,
      lane: 'lane' in beginning ? beginning.lane : null,
      told_page: 0,
      lease_until: null,
      settled_at: null,
      failure: failure ? JSON.stringify(failure) : null,
      failures: failedOf ? 1 : 0,
      last_failure: failedOf,
      ...state,
      ...(failure ? { state: 'failed' as const } : {}),
      ...(cut
        ? {
            ...placeAfter(cut, 0),
            page: 2,
            batches: cut.made,
            queued_ios: cut.counts.ios,
            queued_android: cut.counts.android,
            queued_web: cut.counts.web,
          }
        : {}),
    })
    .onConflict((conflict) => conflict.column('campaign_id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** A wave begins when its instant has come: until then the sweep alone moves it on. */
const stateAtWave = (at: string) => ({
  state: sql<FanOutState>`case when ${at}::timestamptz <= now() then 'running' else 'between_waves' end`,
  due_at: sql<Date>`case when ${at}::timestamptz <= now() then ${soon} else ${at}::timestamptz end`,
})

const stateAfter = ({ next }: CutPage) =>
  typeof next === 'object'
    ? stateAtWave(next.waveAt)
    : { state: next === 'page' ? ('running' as const) : ('fanned_out' as const), due_at: soon }

/** Where the next page begins. A wave begins at the first device, and finds its own lane. */
const placeAfter = ({ next, cursor, lane }: CutPage, wave: number) =>
  typeof next === 'object' ? { cursor: '', lane: null, wave: wave + 1 } : { cursor, lane, wave }

const noneQueued = { queued_ios: 0, queued_android: 0, queued_web: 0 }

/** The waves of a send after a page: where it ends one, with what the send has queued by then. */
const afterPage = (
  { waves, wave }: { waves: Wave[]; wave: number },
  { next, counts }: CutPage,
  queued: Pick<FanOut, 'queued_ios' | 'queued_android' | 'queued_web'>,
): Wave[] =>
  next === 'page'
    ? waves
    : wavesAfter(waves, wave, {
        ios: queued.queued_ios + counts.ios,
        android: queued.queued_android + counts.android,
        web: queued.queued_web + counts.web,
      })

/** Takes a page: it is the next, nobody else is at it. Undefined: it is cut already, or another is cutting it. */
export const takePage = (db: Db, campaignId: string, page: number): Promise<FanOut | undefined> =>
  db
    .updateTable('fan_outs')
    .set({ state: 'running', lease_until: pageLease, due_at: pageLease })
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .where('state', 'in', ['running', 'waiting'])
    .where('flow', '=', 'running')
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

/** A page is tried so often; the waits between are 2, 4, 8 and 16 s. */
const mostFailures = 5
const afterFailures = (failures: number) => sql<Date>`now() + make_interval(secs => ${2 ** failures})`

/**
 * A page failed for reasons of its own: the row waits, longer each time, and after the fifth try the fan-out has failed with `failure`.
 * Undefined: another has cut the page meanwhile, or the send is over.
 */
export async function noteFailure(
  db: Db,
  taken: FanOut,
  { failedOf, failure }: { failedOf: string; failure: FanOutFailure },
): Promise<FanOut | undefined> {
  const failures = taken.failures + 1
  if (failures >= mostFailures) return failFanOut(db, taken, failure)
  return db
    .updateTable('fan_outs')
    .set({ failures, last_failure: failedOf, lease_until: null, due_at: afterFailures(failures) })
    .where('campaign_id', '=', taken.campaign_id)
    .where('page', '=', taken.page)
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Plans the waves of a send whose row was made without: it begins with the first of them, given as its instant (ISO). */
export const keepWaves = (
  db: Db,
  { campaign_id, page }: FanOut,
  waves: NonNullable<FanOut['waves']>,
  at: string,
): Promise<FanOut | undefined> =>
  db
    .updateTable('fan_outs')
    .set({ waves: JSON.stringify(waves), lease_until: null, ...stateAtWave(at) })
    .where('campaign_id', '=', campaign_id)
    .where('page', '=', page)
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()

/**
 * Moves a fan-out from page n to n + 1: the compare-and-set that makes a page's batches once, and none when the send was paused
 * or cancelled meanwhile. Undefined: another was first.
 */
export const advanceFanOut = (db: Db, taken: FanOut, cut: CutPage): Promise<FanOut | undefined> => {
  const { campaign_id, page, wave, waves } = taken
  return db
    .updateTable('fan_outs')
    .set((eb) => ({
      ...placeAfter(cut, wave),
      ...stateAfter(cut),
      page: page + 1,
      batches: eb('batches', '+', cut.made),
      queued_ios: eb('queued_ios', '+', cut.counts.ios),
      queued_android: eb('queued_android', '+', cut.counts.android),
      queued_web: eb('queued_web', '+', cut.counts.web),
      // Nobody scans any more; external ids are not kept longer than they are needed.
      ...(cut.next === 'nothing' ? { target: null } : {}),
      // The row is as it was taken but for its lease: nobody else cuts this page.
      ...(waves && cut.next !== 'page' ? { waves: JSON.stringify(afterPage({ waves, wave }, cut, taken)) } : {}),
      lease_until: null,
      failures: 0,
    }))
    .where('campaign_id', '=', campaign_id)
    .where('page', '=', page)
    .where('flow', '=', 'running')
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

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
export const markTold = (db: Db, { campaign_id, page, batches }: FanOut) =>
  sql`
    update fan_outs set
      told_page = greatest(told_page, ${page}),
      told_batches = greatest(told_batches, ${batches}),
      due_at = case when state in ('fanned_out', 'failed') and page = ${page} then null else due_at end,
      settled_at = case when state = 'failed' then coalesce(settled_at, now()) else settled_at end
    where campaign_id = ${campaign_id}`.execute(db)

/** Parks a fan-out until one of its app's bulk batches is finished; looked at again after 15 s in case nobody says so. */
export const waitForWindow = (db: Db, { campaign_id, page }: FanOut) =>
  db
    .updateTable('fan_outs')
    .set({ state: 'waiting', lane: 'bulk', lease_until: null, due_at: sql<Date>`now() + interval '15 seconds'` })
    .where('campaign_id', '=', campaign_id)
    .where('page', '=', page)
    .execute()

/** Ready or leased bulk batches of an app. Retries and held ones do not count, nor does what is paused: it would block the others. */
const openBulkBatches = (appId: string) => sql`
  batches b where b.app_id = ${appId} and b.lane = 'bulk' and b.done_at is null and b.retry_of is null and b.not_before is null
    and not exists (select from fan_outs f where f.campaign_id = b.campaign_id and f.flow || '' = 'paused' offset 0)`

/** With more than this many batches of a platform open there is no room for a whole page in the window. */
const roomForPage = bulkWindow - mostBatchesOfPage

/** Whether a platform of the app has too many bulk batches open for another page. A look: what is in the making it does not see. */
export async function isBulkWindowFull(db: Db, appId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${openBulkBatches(appId)} group by b.platform having count(*) > ${sql.lit(roomForPage)} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Whether so many pushes fit into the app's bulk window, for certain: the app's pages are committed one after another from here
 * on, and the count is a statement of its own, which sees the page before. Held batches fill the window of a send that has no other
 * platform to go on with, so that it does not run away while its provider is closed; where another platform moves they hold up nobody.
 */
export async function hasRoom(trx: Db, appId: string, pushes: Record<Platform, number>): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audience.bulk-window ${appId}`}, 0))`.execute(trx)
  const { rows } = await sql<{ platform: Platform; open: number }>`
    select b.platform, count(*) as open from ${openBulkBatches(appId)} group by b.platform`.execute(trx)
  const open = new Map(rows.map((row) => [row.platform, row.open]))
  const fits = (platform: Platform, held = 0) => (open.get(platform) ?? 0) + held + mostBatches(pushes[platform]) <= bulkWindow
  const asked = platforms.filter((platform) => pushes[platform] > 0)
  if (asked.length === 0 || !asked.every((platform) => fits(platform))) return asked.length === 0
  const held = await countHeldBulk(trx, appId, asked)
  return asked.some((platform) => fits(platform, held.get(platform)))
}

/** Held bulk batches of an app by platform, counted no further than the window is large. */
async function countHeldBulk(db: Db, appId: string, asked: Platform[]): Promise<Map<Platform, number>> {
  const { rows } = await sql<{ platform: Platform; held: number }>`
    select asked.platform, (
      select count(*) from (
        select from batches b
        where b.app_id = ${appId} and b.platform = asked.platform and b.held_since is not null and b.done_at is null and b.lane = 'bulk'
        limit ${sql.lit(bulkWindow)}
      ) as found
    ) as held
    from unnest(${asked}::text[]) as asked(platform)`.execute(db)
  return new Map(rows.map(({ platform, held }) => [platform, held]))
}

export type PagePointer = { campaignId: string; page: number; pointerNo: number; lane: Lane | null }

/** Wakes the fan-out of an app that has waited longest, if there is room for its next page. Answers the pointer to publish. */
export async function wakeWaiting(db: Db, appId: string): Promise<PagePointer[]> {
  const { rows } = await sql<PagePointer>`
    with longest as (
      select campaign_id from fan_outs
      where state = 'waiting' and flow = 'running' and app_id = ${appId} order by due_at limit 1 for update skip locked
    )
    update fan_outs f set state = 'running', pointer_no = pointer_no + 1, due_at = ${soon}
    from longest
    where f.campaign_id = longest.campaign_id and not exists (
      select from ${openBulkBatches(appId)} group by b.platform having count(*) > ${sql.lit(roomForPage)}
    )
    returning f.campaign_id as "campaignId", f.page, f.pointer_no as "pointerNo", f.lane`.execute(db)
  return rows
}

/**
 * Takes fan-outs whose next step nobody has done in time (a page not cut, totals not told), and those whose next wave begins, by turns of
 * apps. Two sweeps never take the same.
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
      -- More than are taken: another sweep may have locked the first of them.
      select f.campaign_id from turns join fan_outs f on f.campaign_id = turns.campaign_id
      where f.campaign_id = any(array(select campaign_id from turns)) and f.due_at <= now()
      order by turns.turn limit ${limit} for update of f skip locked
    )
    update fan_outs f set pointer_no = pointer_no + 1, due_at = now() + make_interval(secs => least(5 * (pointer_no + 2), 15)),
      state = case when state = 'between_waves' then 'running' else state end
    where f.campaign_id = any(array(select campaign_id from due))
    returning f.campaign_id as "campaignId", f.page, f.pointer_no as "pointerNo", f.lane`.execute(db)
  return rows
}

/**
 * Every push of these campaigns has its outcome: no page and no total is due any more. Those whose batches are all finished by now are emptied
 * with the same write, and their batches go; `clearSettled` does it for the others. Settings stay as long as the row, as the plan of its waves does: they say why a device got
 * the send when it did, or not. Locks in the order of ids.
 */
export const settleFanOuts = (db: Db, campaignIds: string[]) =>
  sql`
    with settled as materialized (
      select campaign_id, not exists (select from batches b where b.campaign_id = f.campaign_id and b.done_at is null offset 0) as over
      from fan_outs f where campaign_id = any(${campaignIds}::text[]) order by campaign_id for no key update of f
    ), dropped as (
      delete from batches b where b.campaign_id = any(array(select campaign_id from settled where over))
    )
    update fan_outs f set settled_at = coalesce(settled_at, now()), lease_until = null, due_at = null,
      send = case when over then null else send end, target = case when over then null else target end
    from settled where f.campaign_id = any(array(select campaign_id from settled)) and f.campaign_id = settled.campaign_id`.execute(db)

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
        and not exists (select from batches b where b.campaign_id = f.campaign_id and b.done_at is null offset 0)
      limit ${clearedAtOnce} for update skip locked
    ), dropped as (
      delete from batches where campaign_id = any(array(select campaign_id from over))
    )
    update fan_outs f set send = null, target = null where f.campaign_id = any(array(select campaign_id from over))
    returning f.campaign_id`.execute(db)
  return rows.length === clearedAtOnce
}

/** What was frozen of these campaigns: the send when it was accepted, the app's settings at the first page. */
export const findFrozen = (db: Db, campaignIds: string[]) =>
  db
    .selectFrom('fan_outs')
    .select(['campaign_id', 'send', 'settings'])
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .execute()

export const findUntold = (db: Db, campaignIds: string[]): Promise<FanOut[]> =>
  db
    .selectFrom('fan_outs')
    .selectAll()
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .whereRef('told_page', '<', 'page')
    .where('settled_at', 'is', null)
    .execute()

const purgedAtOnce = 5_000

/** Removes rows settled longer ago than the retention, the oldest first; at most 5,000 at once, `true` when there may be more. */
export async function purgeFanOuts(db: Db, retentionDays: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from fan_outs where campaign_id in (
      select campaign_id from fan_outs where settled_at < now() - make_interval(days => ${retentionDays})
      order by settled_at limit ${sql.lit(purgedAtOnce)}
    )`.execute(db)
  return Number(numAffectedRows) === purgedAtOnce
}
