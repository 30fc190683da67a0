import { Fault } from '@herald/contracts/fault'
import type { FanOutPointer } from '@herald/contracts/batch'
import type { Audience } from '../audience.ts'
import { cutPage, resolveTarget, type Cut } from './cut-page.ts'
import { awaitLastNotified } from './last-notified.ts'
import { pointAtBatches, pointAtPages } from '../delivery/point.ts'
import { codeOfFailure, failureOf, isAway } from './page-failure.ts'
import { appIsGone, plan, startFanOut } from './start-fan-out.ts'
import {
  advanceFanOut,
  failFanOut,
  findFanOut,
  isBulkWindowFull,
  keepWaves,
  noteFailure,
  returnPage,
  takePage,
  waitForWindow,
} from './store/fan-outs.ts'
import type { FanOut, FanOutFailure } from '../store/tables.ts'
import { tellStart, tellTotals } from './tell-totals.ts'

/** After so many pages a run hands the next one on, so that any number of processes share the fan-outs. */
const pagesPerRun = 4

/**
 * Drives the fan-out of a campaign from its row (docs/architecture.md, step 3). Page 0 says that the campaign is due: the row is
 * made, once. Any other page is cut if it is the next; a pointer at a page that is cut already ends here. Totals are told
 * before a page's pointers go out and before the next page is cut. What is left undone by a crash the sweep points at again. A page that
 * fails is tried again when its row is due, and ends its send as failed after the fifth try.
 * Answers how many pages were cut.
 */
export async function fanOut(audience: Audience, { campaignId, page }: FanOutPointer): Promise<number> {
  const known = await findFanOut(audience.db, campaignId)
  const started = page === 0 && !known ? await begin(audience, campaignId) : undefined
  let row = started?.row ?? known ?? (await findFanOut(audience.db, campaignId))
  if (!row || row.settled_at || (page !== 0 && row.page !== page)) return 0
  // Campaigns, which points at page 0, did not hear the answer that it has started.
  if (page === 0 && row.told_page > 0) await tellStart(audience, row)
  if (!(await tellTotals(audience, row, started?.made))) return 0
  await pointAtBatches(audience, started?.batches ?? [])

  // A page that failed is tried again when the row is due.
  if (page === 0 && row.failures > 0) return 0
  let pages = started && row.page > 1 ? 1 : 0
  // What its first page shows to be large goes on in the lane of the large, so that it delays no other's first page.
  const isOfLarge = !started && row.lane === 'bulk'
  for (; pages < pagesPerRun && isOpen(row) && (isOfLarge || row.lane !== 'bulk'); pages += 1) {
    const cut = await cutNextPage(audience, row)
    if (!cut || !(await tellTotals(audience, cut.row, cut.made))) return pages
    await pointAtBatches(audience, cut.batches)
    row = cut.row
  }
  if (isOpen(row)) await pointAtPages(audience, [{ campaignId, page: row.page, pointerNo: row.pointer_no, lane: row.lane }])
  return pages
}

/**
 * Makes the row. A send that cannot even be read is no message that comes back every 2 s: campaigns, whose row it is, points at it again
 * within 15 s.
 */
async function begin(audience: Audience, campaignId: string): Promise<Cut | undefined> {
  try {
    return await startFanOut(audience, campaignId)
  } catch (error) {
    if (isAway(error)) throw error
    audience.log.error({ campaignId, err: error }, 'a send cannot be begun')
    return undefined
  }
}

const isOpen = ({ state }: FanOut): boolean => state === 'running' || state === 'waiting'

/** Cuts a fan-out's next page, if it may be cut now and nobody else is at it. */
async function cutNextPage(audience: Audience, { campaign_id, app_id, page }: FanOut): Promise<Cut | undefined> {
  const { db } = audience
  for (let looks = 1; ; looks += 1) {
    const taken = await takePage(db, campaign_id, page)
    if (!taken) return undefined
    const cut = await cutTaken(audience, taken)
    if (cut !== 'no_room') return cut
    await waitForWindow(db, taken)
    // Batches that were finished between the count and the write found nobody to wake. A window that is full of held batches stays so: it is
    // not looked at a third time.
    if (looks > 1 || (await isBulkWindowFull(db, app_id))) return undefined
  }
}

async function cutTaken(audience: Audience, taken: FanOut): Promise<Cut | 'no_room' | undefined> {
  const { db } = audience
  const { send, target } = taken
  if (!send || !target) return undefined
  try {
    if (taken.lane === 'bulk' && (await isBulkWindowFull(db, taken.app_id))) return 'no_room'
    // Frozen at the first page; a row from before they were has none.
    const settings = taken.settings ?? (await audience.settingsOf(taken.app_id))
    if (!settings) return await fail(audience, taken, appIsGone)
    const resolved = resolveTarget(target)
    if (!resolved.ok) return await fail(audience, taken, resolved.failure)
    await awaitLastNotified(audience, taken.app_id, resolved.selection)
    // A row that was made because its first page failed has no waves yet.
    const waves = taken.page === 1 && !taken.waves ? await plan(audience, { ...taken, send, settings }, resolved.selection) : null
    if (waves?.[0]) return withoutBatches(await keepWaves(db, taken, waves, waves[0].at))
    const cut = await cutPage(audience, { ...taken, settings, send }, resolved.selection, (trx, page) => advanceFanOut(trx, taken, page))
    return cut === 'lost' ? undefined : cut
  } catch (error) {
    return keepForLater(audience, taken, error)
  }
}

/**
 * A page that could not be cut. While the database is away its message comes back; while another app is, the row does, in 5 s. When it
 * fails for reasons of its own the row comes back later each time and ends as failed: a message would come back for ever.
 */
async function keepForLater({ db, log }: Audience, taken: FanOut, error: unknown): Promise<Cut | undefined> {
  const { campaign_id: campaignId, app_id: appId, page } = taken
  if (isAway(error)) {
    await returnPage(db, campaignId, page).catch(() => undefined)
    if (!Fault.is(error, 'queue_unavailable')) throw error
    log.debug({ campaignId, appId, page, err: error }, 'a page waits for another app')
    return undefined
  }
  const failedOf = codeOfFailure(error)
  log.warn({ campaignId, appId, page, failures: taken.failures + 1, err: error }, 'a page failed')
  const row = await noteFailure(db, taken, { failedOf, failure: failureOf(failedOf) })
  return row?.state === 'failed' ? withoutBatches(row) : undefined
}

async function fail({ db }: Audience, taken: FanOut, failure: FanOutFailure): Promise<Cut | undefined> {
  return withoutBatches(await failFanOut(db, taken, failure))
}

const withoutBatches = (row: FanOut | undefined): Cut | undefined => row && { row, batches: [] }
