import type { Decided, FanOutPointer } from '@herald/contracts/batch'
import { fanOutStarted, readSend, type FrozenTarget } from '@herald/contracts/calls/campaigns'
import { readApp } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import { parseSegment } from '@herald/contracts/segment'
import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { countByPlatform, cutIntoBatches, laneOf, type NewBatch } from './core/batching.ts'
import { pointAtBatches, pointAtPages } from './point.ts'
import { insertBatches, type BatchPointerRow } from './store/batches.ts'
import {
  advanceFanOut,
  failFanOut,
  findFanOut,
  freezeSettings,
  insertFanOut,
  isBulkWindowFull,
  returnPage,
  takePage,
  waitForWindow,
} from './store/fan-outs.ts'
import { scanPage, type Selection } from './store/pages.ts'
import type { FanOut, FanOutFailure } from './store/tables.ts'
import { tellTotals } from './tell-totals.ts'

/** After so many pages a run hands the next one on, so that any number of processes share the fan-outs. */
const pagesPerRun = 4

/**
 * Drives the fan-out of a campaign from its row (architecture.md, path 3). Page 0 says that the campaign is due: the row is
 * made, once. Any other page is cut if it is the next; a pointer at a page that is cut already ends here. Totals are told
 * before a page's pointers go out and before the next page is cut. What is left undone by a crash the sweep points at again.
 */
export async function fanOut(audience: Audience, { campaignId, page }: FanOutPointer): Promise<void> {
  let row = page === 0 ? await startFanOut(audience, campaignId) : await findFanOut(audience.db, campaignId)
  if (page !== 0 && row?.page !== page) return

  if (!row || row.settled_at || !(await tellTotals(audience, row))) return
  for (let pages = 0; pages < pagesPerRun && !isOver(row); pages += 1) {
    const cut = await cutNextPage(audience, row)
    if (!cut || !(await tellTotals(audience, cut.row))) return
    await pointAtBatches(audience, cut.batches)
    row = cut.row
  }
  if (!isOver(row)) await pointAtPages(audience, [{ campaignId, page: row.page, pointerNo: row.pointer_no }])
}

const isOver = ({ state }: FanOut): boolean => state === 'fanned_out' || state === 'failed'

/** Undefined: there is no such campaign, or it is not to be sent. Campaigns points at it until it hears that it has started. */
async function startFanOut({ db, bus }: Audience, campaignId: string): Promise<FanOut | undefined> {
  if (!(await findFanOut(db, campaignId))) {
    const found = await bus.call(readSend, { campaignId })
    if (!found) return undefined
    await insertFanOut(db, found)
  }
  await bus.call(fanOutStarted, { campaignId })
  return findFanOut(db, campaignId)
}

type Cut = { row: FanOut; batches: BatchPointerRow[] }

/** Cuts a fan-out's next page, if it may be cut now and nobody else is at it. */
async function cutNextPage(audience: Audience, { campaign_id, page }: FanOut): Promise<Cut | undefined> {
  const { db } = audience
  let taken = await takePage(db, campaign_id, page)
  if (taken?.lane === 'bulk' && (await isBulkWindowFull(db, taken.app_id))) {
    await waitForWindow(db, taken)
    // Batches that were finished between the count and the write found nobody to wake.
    if (await isBulkWindowFull(db, taken.app_id)) return undefined
    taken = await takePage(db, campaign_id, page)
  }
  if (!taken) return undefined
  try {
    return await cutPage(audience, taken)
  } catch (error) {
    await returnPage(db, campaign_id, page).catch(() => undefined)
    throw error
  }
}

async function cutPage(audience: Audience, taken: FanOut): Promise<Cut | undefined> {
  const { db } = audience
  const fanOut = taken.settings ? taken : await readSettings(audience, taken)
  if (!fanOut) return endInFailure(db, taken, { code: 'not_found', message: 'The app does not exist any more.' })
  if (!fanOut.send || !fanOut.target) return undefined
  const selection = resolveTarget(fanOut.target)
  if (!selection.ok) return endInFailure(db, fanOut, selection.failure)

  const page = await scanPage(db, fanOut, selection.selection)
  const counts = countByPlatform(page.devices)
  const lane = fanOut.lane ?? laneOf({ isLast: page.isLast, devices: counts.ios + counts.android + counts.web })
  const { silent } = fanOut.send
  const batches = cutIntoBatches(page.devices).map((batch) => ({ ...batch, id: newId(), decided: silent ? skipIfWeb(batch) : null }))

  const row = await transact(db, async (trx) => {
    const advanced = await advanceFanOut(trx, fanOut, { cursor: page.lastId, lane, isLast: page.isLast, counts })
    if (advanced && batches.length > 0) await insertBatches(trx, advanced, lane, batches)
    return advanced
  })
  if (!row) return undefined
  const { campaign_id: campaignId, app_id: appId } = row
  return { row, batches: batches.map(({ id, platform }) => ({ batchId: id, campaignId, appId, platform, lane, pointerNo: 0 })) }
}

/** The app's settings are read once, at the first page, and frozen. Undefined: there is no such app any more. */
async function readSettings({ db, bus }: Audience, { app_id, campaign_id }: FanOut): Promise<FanOut | undefined> {
  const { app } = await bus.call(readApp, { appId: app_id })
  return app ? freezeSettings(db, campaign_id, app.settings) : undefined
}

async function endInFailure(db: Audience['db'], fanOut: FanOut, failure: FanOutFailure): Promise<Cut | undefined> {
  const row = await failFanOut(db, fanOut, failure)
  return row && { row, batches: [] }
}

function resolveTarget(target: FrozenTarget): { ok: true; selection: Selection } | { ok: false; failure: FanOutFailure } {
  if (target.kind !== 'segment') return { ok: true, selection: target }
  const parsed = parseSegment(target.segment, 'segment')
  if (parsed.ok) return { ok: true, selection: { kind: 'segment', segment: parsed.segment } }
  return {
    ok: false,
    failure: { code: 'invalid_segment', message: `The segment does not compile any more: ${parsed.path} ${parsed.message}`.slice(0, 500) },
  }
}

/** A browser must show something for every push, so a silent one is skipped there; it is counted like any other. */
function skipIfWeb({ platform, subscriptionIds, userIds }: NewBatch): Decided[] | null {
  if (platform !== 'web') return null
  return subscriptionIds.map((subscriptionId, index) => ({
    subscriptionId,
    userId: userIds[index] ?? '',
    tokenVersion: 0,
    attempts: 0,
    outcome: 'skipped',
    code: 'silent_web',
  }))
}
