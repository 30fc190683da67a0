import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { findPushesWithOutcome, listReached } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { parseSegment } from '@herald/contracts/segment'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { noteTold } from '../store/activities.ts'
import { raiseBadges, writeBadges } from '../store/badges.ts'
import type { BatchPointerRow } from '../store/due.ts'
import type { Db, FanOutFailure } from '../store/tables.ts'
import { findFullLanes } from '../store/turns.ts'
import { countByPlatform, cutIntoBatches, laneOf } from './core/batching.ts'
import { pacedBatch, pacedPage } from './core/pace.ts'
import { holdOut, isMeant, queue, rulesFor, type DeliveryRules, type PageDevice, type Queued } from './core/queueing.ts'
import { currentWave, type CurrentWave } from './core/waves.ts'
import { hasRoom, isHeldBack } from './store/bulk-window.ts'
import { claimCap, claimForWave } from './store/claims.ts'
import type { CutPage, FanOut } from './store/fan-outs.ts'
import { insertBatches, type MadeBatch } from './store/made-batches.ts'
import { scanPage, type Page, type Reached, type Scan, type Selection } from './store/pages.ts'
import { paceBatches } from './store/turns-of-sends.ts'

/** A fan-out whose next page is to be made. It has a row already, or gets its row together with its first page. */
export type Uncut = Pick<
  FanOut,
  'campaignId' | 'appId' | 'target' | 'waves' | 'wave' | 'startedAt' | 'boundId' | 'cursor' | 'lane' | 'perMinute'
> & {
  send: FrozenSend
  settings: AppSettings
  exactStart?: string
}

/**
 * A fan-out after a page was made. `made`: the page's batches, to be reported to the ledger first. `batches`: those of them at which
 * pointers are published then.
 */
export type Cut = { row: FanOut; batches: BatchPointerRow[]; made?: MadeBatch[] }

/**
 * Writes to the fan-out's row how far it has come, in the transaction of the page's batches. Gives undefined when another process made the page, the
 * send was paused, cancelled or settled, or its app was erased.
 */
type StorePage = (trx: Db, cut: CutPage) => Promise<FanOut | undefined>

/**
 * Makes a page (docs/architecture.md, step 3): chooses devices and commits claims, batches and the next page's beginning in one transaction. `lost`:
 * `store` gave undefined. `no_room`: the app's bulk window is full. Both write nothing.
 */
export async function cutPage(
  audience: Audience,
  uncut: Uncut,
  selection: Selection | Reached,
  store: StorePage,
): Promise<Cut | 'lost' | 'no_room'> {
  const { db } = audience
  const { send, settings, campaignId, appId, perMinute } = uncut
  const rules = rulesFor(send, settings)
  const wave = currentWave(uncut)

  const scanned = {
    ...uncut,
    zones: wave.zones,
    claims: wave.claims,
    withZones: rules.skipIn !== null,
    category: rules.category,
    inbox: send.inbox,
    activity: send.activity,
  }
  const scan = await (selection.kind === 'reached'
    ? scanReached(audience, scanned, selection)
    : audience.scan(() => scanPage(db, scanned, selection), appId))
  const page = perMinute === null ? scan : shortened(scan, pacedPage(perMinute))
  const devices = await leaveOutOthers(audience, send, page.devices)
  const quiet = { skipIn: rules.skipIn, defaultTimezone: settings.defaultTimezone, at: wave.at, expired: wave.expired }
  const pushes = holdOut(queue(devices, send.silent, quiet), appId, rules.holdout)
  const lane = uncut.lane ?? (perMinute !== null ? 'bulk' : laneOf({ isLast: page.isLast, devices: pushes.length }))
  const next = !page.isLast ? 'page' : wave.nextAt === null ? 'nothing' : { waveAt: wave.nextAt }

  const badgeIncrement = send.silent ? undefined : send.presentation?.badgeIncrement
  const isShort = lane === 'prompt' && !wave.claims && !rules.frequencyCap && badgeIncrement === undefined && !send.activity
  const work = async (trx: Db): Promise<Cut | 'lost' | 'no_room'> => {
    // Batches that wait for their turns do not count in the window.
    const window = { ...audience, db: trx }
    const counts = countByPlatform(pushes)
    if (perMinute !== null ? await isHeldBack(window, appId, counts) : lane === 'bulk' && !(await hasRoom(window, appId, counts)))
      return 'no_room'
    const queued = await obeyCap(trx, uncut, rules, await keepUntaken(trx, campaignId, wave, pushes))
    const cut = cutIntoBatches(queued, perMinute === null ? undefined : pacedBatch(perMinute))
    const row = await store(trx, { cursor: page.lastId, lane, counts: countByPlatform(queued), made: cut.length, next })
    if (!row) return 'lost'
    const batches = cut.map((batch, index) => ({ ...batch, id: newId(), no: row.batches - cut.length + index + 1 }))
    const waiting = lane === 'prompt' && batches.length > 0 ? await findFullLanes(trx, appId) : new Set<Platform>()
    if (batches.length > 0) await insertBatches(trx, row, lane, batches, waiting)
    if (badgeIncrement !== undefined) await countBadges(trx, appId, batches, badgeIncrement)
    if (send.activity) await noteTold(trx, appId, send.activity)
    // The rate may have changed since the page was taken.
    if (row.perMinute !== null) await paceBatches(trx, row, true)
    if (batches.some(({ platform }) => waiting.has(platform))) audience.haveWaiting()
    // The sweep points at a batch with a turn when it comes.
    const pointedAt = batches.filter(({ platform, decided }) => !waiting.has(platform) && (row.perMinute === null || decided !== null))
    const pointers = pointedAt.map(({ id, platform }) => ({ batchId: id, campaignId, appId, platform, lane, pointerNo: 0 }))
    return { row, batches: pointers, made: batches }
  }
  return isShort ? audience.commit({ campaignId, appId }, work) : transactUnlessLost(db, work)
}

/** Raises the badges of the devices of a page, and writes with each push the number that its device shows then. */
async function countBadges(trx: Db, appId: string, batches: MadeBatch[], by: number): Promise<void> {
  const sent = batches.filter(({ decided }) => decided === null)
  const raised = await raiseBadges(
    trx,
    appId,
    sent.flatMap(({ subscriptionIds }) => subscriptionIds),
    by,
  )
  if (sent.length === 0) return
  await writeBadges(
    trx,
    sent.map(({ id, subscriptionIds }) => ({ id, badges: subscriptionIds.map((one) => raised.get(one) ?? by) })),
  )
}

/**
 * Gives the next of the devices to which a campaign was sent, as the tracker lists them. Each push is queued for the user of the first: when the device
 * has another owner by now, the take skips it.
 */
async function scanReached(audience: Audience, scanned: Scan, { of, skipOpened }: Reached): Promise<Page> {
  const { appId, cursor } = scanned
  const asked = { appId, campaignId: of, unopened: skipOpened, after: cursor === '' ? null : cursor }
  const portion = await audience.bus.call(listReached, asked)
  const userOf = new Map(portion?.devices.map(({ subscriptionId, userId }) => [subscriptionId, userId]))
  const named = { kind: 'subscriptionIds' as const, subscriptionIds: [...userOf.keys()] }
  const { devices } = await audience.scan(() => scanPage(audience.db, { ...scanned, cursor: '' }, named), appId)
  return {
    devices: devices.map((device) => ({ ...device, userId: userOf.get(device.id) ?? device.userId })),
    lastId: portion?.next ?? cursor,
    isLast: !portion?.next,
  }
}

/** Leaves the last devices of a page to the next one, so that the page has at most `most`. */
function shortened(page: Page, most: number): Page {
  if (page.devices.length <= most) return page
  const devices = page.devices.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, most)
  return { devices, lastId: devices.at(-1)?.id ?? page.lastId, isLast: false }
}

const lost = new Error('another process cut the page, or the send was paused or cancelled')

/**
 * Runs a transaction, and rolls it back when the page was lost. A claim that stayed without a push would keep the device from ever getting the send.
 */
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

/** Compiles the target of a send. Gives a failure for a segment that was frozen long ago and is invalid in this version of Herald. */
export function resolveTarget(target: FrozenTarget): { ok: true; selection: Selection | Reached } | { ok: false; failure: FanOutFailure } {
  if (target.kind !== 'segment') return { ok: true, selection: target }
  const parsed = parseSegment(target.segment, 'segment')
  if (parsed.ok) return { ok: true, selection: { kind: 'segment', segment: parsed.segment } }
  return {
    ok: false,
    failure: { code: 'invalid_segment', message: `The segment does not compile any more: ${parsed.path} ${parsed.message}`.slice(0, 500) },
  }
}

/**
 * Throws the fault `queue_unavailable` when the segment asks for `lastNotifiedAt` and audience does not know it for all devices yet. The
 * page is then tried again.
 */
export async function awaitLastNotified(
  { lastNotified }: Pick<Audience, 'lastNotified'>,
  appId: string,
  selection: Selection | Reached,
): Promise<void> {
  if (selection.kind === 'segment' && !(await lastNotified(appId, selection.segment))) throw queueUnavailable()
}

/**
 * Leaves out devices that the experiment of the send excludes. An experiment sends only to its sample. The winner's follow-up leaves out the sample,
 * and every device whose push of the experiment has an outcome already.
 */
async function leaveOutOthers({ bus }: Audience, send: FrozenSend, devices: PageDevice[]): Promise<PageDevice[]> {
  const meant = devices.filter(({ userId }) => isMeant(send, userId))
  if (!send.remainder || meant.length === 0) return meant
  const asked = { campaignId: send.remainder.of, subscriptionIds: meant.map(({ id }) => id) }
  const settled = new Set((await bus.call(findPushesWithOutcome, asked)).subscriptionIds)
  return meant.filter(({ id }) => !settled.has(id))
}

/** Leaves out pushes to devices that an earlier wave of the send has claimed, and claims the others. */
async function keepUntaken(trx: Db, campaignId: string, wave: CurrentWave, pushes: Queued[]): Promise<Queued[]> {
  if (!wave.claims || pushes.length === 0) return pushes
  const claimed = await claimForWave(
    trx,
    campaignId,
    pushes.map(({ subscriptionId }) => subscriptionId),
  )
  return pushes.filter(({ subscriptionId }) => claimed.has(subscriptionId))
}

/**
 * Skips the pushes to users who have had as many campaigns as the frequency cap allows, and counts the campaign for the others. A push that is
 * skipped for another reason does not count.
 */
async function obeyCap(trx: Db, { appId, campaignId }: Uncut, { frequencyCap }: DeliveryRules, pushes: Queued[]): Promise<Queued[]> {
  const userIds = pushes.filter(({ skip }) => !skip).map(({ userId }) => userId)
  if (!frequencyCap || userIds.length === 0) return pushes
  const over = await claimCap(trx, { appId, campaignId, userIds, cap: frequencyCap })
  return pushes.map((push) => (!push.skip && over.has(push.userId) ? { ...push, skip: 'frequency_cap' } : push))
}
