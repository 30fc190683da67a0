import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { CampaignFlow } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Lane, Platform } from '@herald/contracts/platform'
import { sql, type Selectable, type UpdateObject } from 'kysely'
import type { Db, FanOutFailure, FanOutState, FanOutTable, Tables } from '../../store/tables.ts'
import { soon } from '../../store/turns.ts'
import { wavesAfter, type Wave, type WavesOfFanOut } from '../core/waves.ts'
import type { Bounds } from './pages.ts'

/** The fan-out of a send: what is frozen of it, how far it has come, and what the other apps were told (columns: `FanOutTable`). */
export type FanOut = {
  campaignId: string
  appId: string
  day: string
  send: FrozenSend | null
  target: FrozenTarget | null
  settings: AppSettings | null
  startedAt: Date
  boundId: string
  cursor: string
  page: number
  queued: Record<Platform, number>
  lane: Lane | null
  state: FanOutState
  toldPage: number
  batches: number
  toldBatches: number
  failure: FanOutFailure | null
  leaseUntil: Date | null
  dueAt: Date | null
  pointerNo: number
  settledAt: Date | null
  failures: number
  lastFailure: string | null
  flow: CampaignFlow
  flowNo: number
  waves: Wave[] | null
  wave: number
  pastWaves: Wave[] | null
}

export const toFanOut = (row: Selectable<FanOutTable>): FanOut => ({
  campaignId: row.campaign_id,
  appId: row.app_id,
  day: row.day,
  send: row.send,
  target: row.target,
  settings: row.settings,
  startedAt: row.started_at,
  boundId: row.bound_id,
  cursor: row.cursor,
  page: row.page,
  queued: { ios: row.queued_ios, android: row.queued_android, web: row.queued_web },
  lane: row.lane,
  state: row.state,
  toldPage: row.told_page,
  batches: row.batches,
  toldBatches: row.told_batches,
  failure: row.failure,
  leaseUntil: row.lease_until,
  dueAt: row.due_at,
  pointerNo: row.pointer_no,
  settledAt: row.settled_at,
  failures: row.failures,
  lastFailure: row.last_failure,
  flow: row.flow,
  flowNo: row.flow_no,
  waves: row.waves,
  wave: row.wave,
  pastWaves: row.past_waves,
})
const toFanOutOrNone = (row: Selectable<FanOutTable> | undefined): FanOut | undefined => row && toFanOut(row)

/** When the lease of a page ends. Another process cuts it then; the compare-and-set of `advanceFanOut` makes its batches only once. */
const pageLease = sql<Date>`now() + interval '15 seconds'`

export const findFanOut = async (db: Db, campaignId: string): Promise<FanOut | undefined> =>
  toFanOutOrNone(await db.selectFrom('fan_outs').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst())

/** Finds the waves of a send; undefined when its fan-out has not begun, is past retention, or is another app's. */
export async function findWaves(db: Db, appId: string, campaignId: string): Promise<WavesOfFanOut | undefined> {
  const row = await db
    .selectFrom('fan_outs')
    .select(['waves', 'past_waves', 'wave', 'started_at', 'queued_ios', 'queued_android', 'queued_web', 'state', 'flow'])
    .where('campaign_id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    waves: row.waves ?? row.past_waves,
    wave: row.wave,
    startedAt: row.started_at,
    queued: { ios: row.queued_ios, android: row.queued_android, web: row.queued_web },
    state: row.state,
    isCancelled: row.flow === 'cancelled',
  }
}

/** What a page leaves behind: how far its wave has come, and what comes next: another page, a wave at its instant (ISO), or nothing. */
export type CutPage = {
  cursor: string
  lane: Lane
  counts: Record<Platform, number>
  /** How many batches it made. */
  made: number
  next: 'page' | { waveAt: string } | 'nothing'
}

/** A fan-out as it begins: everything that is frozen, and which devices are in it. */
export type NewFanOut = Pick<FanOut, 'campaignId' | 'appId' | 'send' | 'target' | 'settings' | 'waves'> & Bounds

/**
 * How a new fan-out begins: `cut` with its first page; `waveAt` at a wave that is yet to come; `lane` waiting for its turn; `failedOf` with
 * a first page that failed, by its code, and is tried again; `failure` as one that cannot go on.
 */
export type Beginning = { cut: CutPage } | { waveAt: string } | { lane: Lane | null } | { failedOf: string } | { failure: FanOutFailure }

/**
 * Inserts a fan-out, once; undefined when there was one already, or its app was erased. Usually its first page is cut in the same transaction,
 * so that a small send is one commit. `told_page` is 0, because campaigns and tracker were not told of it yet.
 */
export async function insertFanOut(db: Db, fanOut: NewFanOut, beginning: Beginning): Promise<FanOut | undefined> {
  const { waves } = fanOut
  const cut = 'cut' in beginning ? beginning.cut : undefined
  const failure = 'failure' in beginning ? beginning.failure : undefined
  const failedOf = 'failedOf' in beginning ? beginning.failedOf : null
  const running = { state: 'running' as const, due_at: failedOf ? afterFailures(1) : soon }
  const state = cut ? stateAfter(cut) : 'waveAt' in beginning ? stateAtWave(beginning.waveAt) : running
  const row = await db
    .insertInto('fan_outs')
    .values({
      campaign_id: fanOut.campaignId,
      app_id: fanOut.appId,
      send: JSON.stringify(fanOut.send),
      target: cut?.next === 'nothing' ? null : JSON.stringify(fanOut.target),
      settings: fanOut.settings && JSON.stringify(fanOut.settings),
      waves: waves && JSON.stringify(cut ? afterPage({ waves, wave: 0 }, cut, noneQueued) : waves),
      started_at: sql<Date>`${fanOut.exactStart}::timestamptz`,
      bound_id: fanOut.boundId,
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
  return toFanOutOrNone(row)
}

/** A wave begins when its instant has come. Until then only the sweep moves the fan-out on. */
const stateAtWave = (at: string) => ({
  state: sql<FanOutState>`case when ${at}::timestamptz <= now() then 'running' else 'between_waves' end`,
  due_at: sql<Date>`case when ${at}::timestamptz <= now() then ${soon} else ${at}::timestamptz end`,
})

const stateAfter = ({ next }: CutPage) =>
  typeof next === 'object'
    ? stateAtWave(next.waveAt)
    : { state: next === 'page' ? ('running' as const) : ('fanned_out' as const), due_at: soon }

/** Where the next page begins. A wave begins at the first device and finds its own lane. */
const placeAfter = ({ next, cursor, lane }: CutPage, wave: number) =>
  typeof next === 'object' ? { cursor: '', lane: null, wave: wave + 1 } : { cursor, lane, wave }

const noneQueued = { ios: 0, android: 0, web: 0 }

/** The waves of a send after a page. If the page ends a wave, the wave says how many pushes the send has queued by then. */
const afterPage = ({ waves, wave }: { waves: Wave[]; wave: number }, { next, counts }: CutPage, queued: Record<Platform, number>): Wave[] =>
  next === 'page'
    ? waves
    : wavesAfter(waves, wave, {
        ios: queued.ios + counts.ios,
        android: queued.android + counts.android,
        web: queued.web + counts.web,
      })

/** Takes a page to cut it. Undefined when it is not the next page any more, or another process is cutting it. */
export const takePage = async (db: Db, campaignId: string, page: number): Promise<FanOut | undefined> =>
  toFanOutOrNone(
    await db
      .updateTable('fan_outs')
      .set({ state: 'running', lease_until: pageLease, due_at: pageLease })
      .where('campaign_id', '=', campaignId)
      .where('page', '=', page)
      .where('state', 'in', ['running', 'waiting'])
      .where('flow', '=', 'running')
      .where('settled_at', 'is', null)
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', sql<Date>`now()`)]))
      .returningAll()
      .executeTakeFirst(),
  )

/** Gives back a page that could not be cut, so that nothing waits for its lease to end. */
export const returnPage = (db: Db, campaignId: string, page: number) =>
  db
    .updateTable('fan_outs')
    .set({ lease_until: null, due_at: soon })
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .execute()

/** At most how many times a page is tried. The waits between the tries are 2, 4, 8 and 16 s. */
const mostFailures = 5
const afterFailures = (failures: number) => sql<Date>`now() + make_interval(secs => ${2 ** failures})`

/**
 * Notes that a page failed for reasons of its own. The row is due again after a wait that grows with each failure; after the fifth try the
 * fan-out ends with `failure`. Undefined when another process has cut the page meanwhile, or the send is over.
 */
export async function noteFailure(
  db: Db,
  taken: FanOut,
  { failedOf, failure }: { failedOf: string; failure: FanOutFailure },
): Promise<FanOut | undefined> {
  const failures = taken.failures + 1
  if (failures >= mostFailures) return failFanOut(db, taken, failure)
  return writeAtPage(db, taken, { failures, last_failure: failedOf, lease_until: null, due_at: afterFailures(failures) })
}

/** Plans the waves of a send whose row was made without them. It begins at the first wave, at this instant (ISO). */
export const keepWaves = (db: Db, taken: FanOut, waves: Wave[], at: string): Promise<FanOut | undefined> =>
  writeAtPage(db, taken, { waves: JSON.stringify(waves), lease_until: null, ...stateAtWave(at) })

/** Ends a fan-out that cannot go on. The page number rises as with a page that was cut, because there is news to tell. */
export const failFanOut = (db: Db, taken: FanOut, failure: FanOutFailure): Promise<FanOut | undefined> =>
  writeAtPage(db, taken, {
    state: 'failed',
    failure: JSON.stringify(failure),
    page: taken.page + 1,
    lease_until: null,
    due_at: soon,
  })

/** Writes a fan-out that is still at the page that was taken; undefined when it is not, or the send is over. */
const writeAtPage = async (db: Db, { campaignId, page }: FanOut, change: UpdateObject<Tables, 'fan_outs'>): Promise<FanOut | undefined> =>
  toFanOutOrNone(
    await db
      .updateTable('fan_outs')
      .set(change)
      .where('campaign_id', '=', campaignId)
      .where('page', '=', page)
      .where('settled_at', 'is', null)
      .returningAll()
      .executeTakeFirst(),
  )

/**
 * Moves a fan-out from page n to n + 1. This compare-and-set makes the batches of a page once, and none when the send was paused or cancelled
 * meanwhile. Undefined when another process was first.
 */
export const advanceFanOut = async (db: Db, taken: FanOut, cut: CutPage): Promise<FanOut | undefined> => {
  const { campaignId, page, wave, waves } = taken
  const row = await db
    .updateTable('fan_outs')
    .set((eb) => ({
      ...placeAfter(cut, wave),
      ...stateAfter(cut),
      page: page + 1,
      batches: eb('batches', '+', cut.made),
      queued_ios: eb('queued_ios', '+', cut.counts.ios),
      queued_android: eb('queued_android', '+', cut.counts.android),
      queued_web: eb('queued_web', '+', cut.counts.web),
      // No page will scan for the target again; external ids are not kept longer than they are needed.
      ...(cut.next === 'nothing' ? { target: null } : {}),
      // Only the process with the lease is at this page, so the row's waves are still the ones that were taken.
      ...(waves && cut.next !== 'page' ? { waves: JSON.stringify(afterPage({ waves, wave }, cut, taken.queued)) } : {}),
      lease_until: null,
      failures: 0,
    }))
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .where('flow', '=', 'running')
    .where('settled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return toFanOutOrNone(row)
}
