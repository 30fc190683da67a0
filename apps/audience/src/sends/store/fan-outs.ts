import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { CampaignFlow } from '@herald/contracts/campaign'
import { perPlatform, platformColumns, platforms, type Lane, type Platform } from '@herald/contracts/platform'
import { sql, type Selectable, type UpdateObject } from 'kysely'
import type { Db, FanOutFailure, FanOutState, FanOutTable, Tables } from '../../store/tables.ts'
import { soon } from '../../store/turns.ts'
import { wavesAfter, type Wave, type WavesOfFanOut } from '../core/waves.ts'

/** The fan-out of a send: what was frozen when it began, how far it has come, what campaigns and tracker were told (columns: `FanOutTable`). */
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
  /** The send's rate; null for no limit. */
  perMinute: number | null
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
  queued: perPlatform((platform) => row[`queued_${platform}`]),
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
  perMinute: row.per_minute,
})
const toFanOutOrNone = (row: Selectable<FanOutTable> | undefined): FanOut | undefined => row && toFanOut(row)

/**
 * When the lease of a page ends and another process may make the page. If both make it, the compare-and-set of `advanceFanOut` lets only
 * one of them insert batches.
 */
const pageLease = sql<Date>`now() + interval '15 seconds'`

/** Finds the fan-out of a send; undefined while the send has not begun (a row with page 0 notes its flow: store/flow.ts). */
export const findFanOut = async (db: Db, campaignId: string): Promise<FanOut | undefined> =>
  toFanOutOrNone(await db.selectFrom('fan_outs').selectAll().where('campaign_id', '=', campaignId).where('page', '>', 0).executeTakeFirst())

/** Finds the waves of a send; undefined when its fan-out has not begun, was deleted after the retention, or belongs to another app. */
export async function findWaves(db: Db, appId: string, campaignId: string): Promise<WavesOfFanOut | undefined> {
  const row = await db
    .selectFrom('fan_outs')
    .select(['waves', 'past_waves', 'wave', 'started_at', ...platformColumns('queued'), 'state', 'flow'])
    .where('campaign_id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('page', '>', 0)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    waves: row.waves ?? row.past_waves,
    wave: row.wave,
    startedAt: row.started_at,
    queued: perPlatform((platform) => row[`queued_${platform}`]),
    state: row.state,
    isCancelled: row.flow === 'cancelled',
  }
}

/** What is written to a fan-out's row after a page. `next`: what follows, which is another page, a wave at its instant (ISO), or nothing. */
export type CutPage = {
  cursor: string
  lane: Lane
  counts: Record<Platform, number>
  made: number
  next: 'page' | { waveAt: string } | 'nothing'
}

/** A fan-out as it begins: all that is frozen, and the bounds of its devices. */
/**
 * The bounds of a send: a device with a greater id than `boundId`, or one that was created after the start, is not in the send. `exactStart` is the
 * start with microseconds, which a Date cannot hold.
 */
export type Bounds = { startedAt: Date; exactStart: string; boundId: string }

export type NewFanOut = Pick<FanOut, 'campaignId' | 'appId' | 'send' | 'target' | 'settings' | 'waves'> & Bounds

/**
 * How a new fan-out begins. `cut`: with its first page. `waveAt`: when its first wave begins. `lane`: without a page, because the bulk window is
 * full. `failedOf`: its first page failed and is tried again. `failure`: as failed.
 */
export type Beginning = { cut: CutPage } | { waveAt: string } | { lane: Lane | null } | { failedOf: string } | { failure: FanOutFailure }

/**
 * Inserts a fan-out; undefined when the send has one already, or its app was erased. `told_page` is 0, because campaigns and tracker do not know of
 * the fan-out yet.
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
      ...(fanOut.send?.sendRate ? { per_minute: fanOut.send.sendRate.perMinute } : {}),
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
            ...queuedColumns((platform) => cut.counts[platform]),
          }
        : {}),
    })
    .onConflict((conflict) => conflict.column('campaign_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  return toFanOutOrNone(row)
}

/** Gives the columns of a fan-out whose next wave begins at `at`: until that instant it waits, and then the sweep points at it. */
const stateAtWave = (at: string) => ({
  state: sql<FanOutState>`case when ${at}::timestamptz <= now() then 'running' else 'between_waves' end`,
  due_at: sql<Date>`case when ${at}::timestamptz <= now() then ${soon} else ${at}::timestamptz end`,
})

const stateAfter = ({ next }: CutPage) =>
  typeof next === 'object'
    ? stateAtWave(next.waveAt)
    : { state: next === 'page' ? ('running' as const) : ('fanned_out' as const), due_at: soon }

/** Gives the columns that say where the next page begins. A new wave begins at the first device, and its first page decides its lane. */
const placeAfter = ({ next, cursor, lane }: CutPage, wave: number) =>
  typeof next === 'object' ? { cursor: '', lane: null, wave: wave + 1 } : { cursor, lane, wave }

const noneQueued = perPlatform(() => 0)

/** Makes a value for each column that counts the queued pushes of a platform. */
const queuedColumns = <Value>(make: (platform: Platform) => Value) =>
  Object.fromEntries(platforms.map((platform) => [`queued_${platform}`, make(platform)])) as Record<`queued_${Platform}`, Value>

/** Gives the waves of a send after a page. If the page is the last of a wave, the wave gets the number of pushes that the send has queued by now. */
const afterPage = ({ waves, wave }: { waves: Wave[]; wave: number }, { next, counts }: CutPage, queued: Record<Platform, number>): Wave[] =>
  next === 'page'
    ? waves
    : wavesAfter(
        waves,
        wave,
        perPlatform((platform) => queued[platform] + counts[platform]),
      )

/**
 * Takes a page, so that this process may make it. Undefined when the page is not the next one any more, another process is making it, or
 * the send waits for a wave, is paused, or has ended.
 */
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

/** Gives back a page that could not be made, so that the next try need not wait until the lease ends. */
export const returnPage = (db: Db, campaignId: string, page: number) =>
  db
    .updateTable('fan_outs')
    .set({ lease_until: null, due_at: soon })
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .execute()

/** A page is tried at most this many times. The waits between the tries are 2, 4, 8 and 16 s. */
const mostFailures = 5
const afterFailures = (failures: number) => sql<Date>`now() + make_interval(secs => ${2 ** failures})`

/**
 * Stores that a page failed, and when the sweep points at it again. After the fifth try the fan-out ends with `failure`. Undefined when another
 * process has made the page meanwhile, or the send is settled.
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

/** Stores the waves of a send whose row was inserted without them. `at`: the instant of the first wave (ISO). */
export const keepWaves = (db: Db, taken: FanOut, waves: Wave[], at: string): Promise<FanOut | undefined> =>
  writeAtPage(db, taken, { waves: JSON.stringify(waves), lease_until: null, ...stateAtWave(at) })

/** Ends a fan-out that cannot go on. It raises the page number above `told_page`, so that campaigns and tracker are told of the failure. */
export const failFanOut = (db: Db, taken: FanOut, failure: FanOutFailure): Promise<FanOut | undefined> =>
  writeAtPage(db, taken, {
    state: 'failed',
    failure: JSON.stringify(failure),
    page: taken.page + 1,
    lease_until: null,
    due_at: soon,
  })

/** Writes to a fan-out if its next page is still the one that was taken; undefined when it is not, or the send is settled. */
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
 * Moves a fan-out from page n to n + 1, so that only one process inserts the batches of a page. Undefined when another process was first, or the send
 * was paused, cancelled or settled.
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
      ...queuedColumns((platform) => eb(`queued_${platform}`, '+', cut.counts[platform])),
      // After the last page the target is not needed any more, and external ids are not kept longer than they are needed.
      ...(cut.next === 'nothing' ? { target: null } : {}),
      // The waves that were read are still those of the row, because they change only together with the page.
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
