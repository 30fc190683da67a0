import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { findSettled } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { parseSegment } from '@herald/contracts/segment'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { countByPlatform, cutIntoBatches, laneOf } from './core/batching.ts'
import { rulesFor, type DeliveryRules } from './core/delivery-rules.ts'
import { isMeant, queue, type PageDevice, type Queued } from './core/queueing.ts'
import { currentWave, type CurrentWave } from './core/waves.ts'
import { insertBatches, type BatchPointerRow, type MadeBatch } from '../delivery/store/batches.ts'
import { findFullLanes } from './store/lanes.ts'
import { claimCap, claimForWave } from './store/claims.ts'
import { hasRoom, type CutPage } from './store/fan-outs.ts'
import { scanPage, type Selection } from './store/pages.ts'
import type { Db, FanOut, FanOutFailure } from '../store/tables.ts'

/** A fan-out with a page to cut: a row, or what becomes one with its first page. */
export type Uncut = Pick<FanOut, 'campaign_id' | 'app_id' | 'target' | 'waves' | 'wave' | 'started_at' | 'bound_id' | 'cursor' | 'lane'> & {
  send: FrozenSend
  settings: AppSettings
  exactStart?: string
}

/** `batches` may be pointed at now; `made` are all of its page, of which the ledger is told first. */
export type Cut = { row: FanOut; batches: BatchPointerRow[]; made?: MadeBatch[] }

/** Writes a page's place into the fan-out, in the transaction of its batches; undefined: another was first. */
type StorePage = (trx: Db, cut: CutPage) => Promise<FanOut | undefined>

/**
 * Cuts a page (docs/architecture.md, step 3): scans, chooses, and commits its claims, batches and place in one transaction. `lost`:
 * another cut it, or the send does not go on; `no_room`: the app's bulk window is full. Either leaves nothing behind.
 */
export async function cutPage(audience: Audience, uncut: Uncut, selection: Selection, store: StorePage): Promise<Cut | 'lost' | 'no_room'> {
  const { db } = audience
  const { send, settings, campaign_id: campaignId, app_id: appId } = uncut
  const rules = rulesFor(send, settings)
  const wave = currentWave(uncut)

  const scanned = { ...uncut, zones: wave.zones, claims: wave.claims, withZones: rules.skipIn !== null }
  const page = await audience.scan(appId, () => scanPage(db, scanned, selection))
  const devices = await leaveOutOthers(audience, send, page.devices)
  const pushes = queue(devices, send.silent, { skipIn: rules.skipIn, defaultTimezone: settings.defaultTimezone, at: wave.at })
  const lane = uncut.lane ?? laneOf({ isLast: page.isLast, devices: pushes.length })
  const next = !page.isLast ? 'page' : wave.nextAt === null ? 'nothing' : { waveAt: wave.nextAt }

  const isShort = lane === 'prompt' && !wave.claims && !rules.frequencyCap
  const work = async (trx: Db): Promise<Cut | 'lost' | 'no_room'> => {
    if (lane === 'bulk' && !(await hasRoom(trx, appId, countByPlatform(pushes)))) return 'no_room'
    const queued = await obeyCap(trx, uncut, rules, await keepUntaken(trx, campaignId, wave, pushes))
    const cut = cutIntoBatches(queued)
    const row = await store(trx, { cursor: page.lastId, lane, counts: countByPlatform(queued), made: cut.length, next })
    if (!row) return 'lost'
    const batches = cut.map((batch, index) => ({ ...batch, id: newId(), no: row.batches - cut.length + index + 1 }))
    const waiting = lane === 'prompt' && batches.length > 0 ? await findFullLanes(trx, appId) : new Set<Platform>()
    if (batches.length > 0) await insertBatches(trx, row, lane, batches, waiting)
    if (batches.some(({ platform }) => waiting.has(platform))) audience.haveWaiting()
    const pointedAt = batches.filter(({ platform }) => !waiting.has(platform))
    const pointers = pointedAt.map(({ id, platform }) => ({ batchId: id, campaignId, appId, platform, lane, pointerNo: 0 }))
    return { row, batches: pointers, made: batches }
  }
  return isShort ? audience.commit({ campaignId, appId }, work) : transactUnlessLost(db, work)
}

const lost = new Error('another cut the page, or the send does not go on')

/** What a lost page has claimed is not kept: a claim without its push would leave the device out for good. */
async function transactUnlessLost<T>(db: Db, work: (trx: Db) => Promise<T | 'lost'>): Promise<T | 'lost'> {
  try {
    return await transact(db, async (trx) => {
      const done = await work(trx)
      if (done === 'lost') throw lost
      return done
    })
  } catch (error) {
    if (error === lost) return 'lost'
    throw error
  }
}

/** Whom a target means, ready to be scanned for; a segment may have stopped to compile since it was frozen. */
export function resolveTarget(target: FrozenTarget): { ok: true; selection: Selection } | { ok: false; failure: FanOutFailure } {
  if (target.kind !== 'segment') return { ok: true, selection: target }
  const parsed = parseSegment(target.segment, 'segment')
  if (parsed.ok) return { ok: true, selection: { kind: 'segment', segment: parsed.segment } }
  return {
    ok: false,
    failure: { code: 'invalid_segment', message: `The segment does not compile any more: ${parsed.path} ${parsed.message}`.slice(0, 500) },
  }
}

/** Without those whom an experiment leaves for later, and those who had their push of the experiment that this is the winner of. */
async function leaveOutOthers({ bus }: Audience, send: FrozenSend, devices: PageDevice[]): Promise<PageDevice[]> {
  const meant = devices.filter(({ userId }) => isMeant(send, userId))
  if (!send.remainder || meant.length === 0) return meant
  const asked = { campaignId: send.remainder.of, subscriptionIds: meant.map(({ id }) => id) }
  const settled = new Set((await bus.call(findSettled, asked)).subscriptionIds)
  return meant.filter(({ id }) => !settled.has(id))
}

/** Of several waves each takes whom none before it has taken. */
async function keepUntaken(trx: Db, campaignId: string, wave: CurrentWave, pushes: Queued[]): Promise<Queued[]> {
  if (!wave.claims || pushes.length === 0) return pushes
  const claimed = await claimForWave(
    trx,
    campaignId,
    pushes.map(({ subscriptionId }) => subscriptionId),
  )
  return pushes.filter(({ subscriptionId }) => claimed.has(subscriptionId))
}

/** Skips users who have had as many campaigns as the cap allows. Who is skipped anyway counts for none. */
async function obeyCap(trx: Db, { app_id, campaign_id }: Uncut, { frequencyCap }: DeliveryRules, pushes: Queued[]): Promise<Queued[]> {
  const userIds = pushes.filter(({ skip }) => !skip).map(({ userId }) => userId)
  if (!frequencyCap || userIds.length === 0) return pushes
  const over = await claimCap(trx, { appId: app_id, campaignId: campaign_id, userIds, cap: frequencyCap })
  return pushes.map((push) => (!push.skip && over.has(push.userId) ? { ...push, skip: 'frequency_cap' } : push))
}
