import type { FanOutPointer } from '@herald/contracts/batch'
import type { Audience } from './audience.ts'
import { cutPage, resolveTarget, type Cut } from './cut-page.ts'
import { pointAtBatches, pointAtPages } from './point.ts'
import { appIsGone, startFanOut } from './start-fan-out.ts'
import { advanceFanOut, failFanOut, findFanOut, isBulkWindowFull, returnPage, takePage, waitForWindow } from './store/fan-outs.ts'
import type { FanOut, FanOutFailure } from './store/tables.ts'
import { tellStart, tellTotals } from './tell-totals.ts'

/** After so many pages a run hands the next one on, so that any number of processes share the fan-outs. */
const pagesPerRun = 4

/**
 * Drives the fan-out of a campaign from its row (architecture.md, path 3). Page 0 says that the campaign is due: the row is
 * made, once. Any other page is cut if it is the next; a pointer at a page that is cut already ends here. Totals are told
 * before a page's pointers go out and before the next page is cut. What is left undone by a crash the sweep points at again.
 * Answers how many pages were cut.
 */
export async function fanOut(audience: Audience, { campaignId, page }: FanOutPointer): Promise<number> {
  const started = page === 0 ? await startFanOut(audience, campaignId) : undefined
  let row = started?.row ?? (await findFanOut(audience.db, campaignId))
  if (!row || row.settled_at || (page !== 0 && row.page !== page)) return 0
  // Campaigns, which points at page 0, did not hear the answer that it has started.
  if (page === 0 && row.told_page > 0) await tellStart(audience, row)
  if (!(await tellTotals(audience, row))) return 0
  await pointAtBatches(audience, started?.batches ?? [])

  let pages = started && row.page > 1 ? 1 : 0
  // What its first page shows to be large goes on in the lane of the large, so that it delays no other's first page.
  const isOfLarge = !started && row.lane === 'bulk'
  for (; pages < pagesPerRun && isOpen(row) && (isOfLarge || row.lane !== 'bulk'); pages += 1) {
    const cut = await cutNextPage(audience, row)
    if (!cut || !(await tellTotals(audience, cut.row))) return pages
    await pointAtBatches(audience, cut.batches)
    row = cut.row
  }
  if (isOpen(row)) await pointAtPages(audience, [{ campaignId, page: row.page, pointerNo: row.pointer_no, lane: row.lane }])
  return pages
}

const isOpen = ({ state }: FanOut): boolean => state === 'running' || state === 'waiting'

/** Cuts a fan-out's next page, if it may be cut now and nobody else is at it. */
async function cutNextPage(audience: Audience, { campaign_id, app_id, page }: FanOut): Promise<Cut | undefined> {
  const { db } = audience
  for (let looks = 1; ; looks += 1) {
    const taken = await takePage(db, campaign_id, page)
    if (!taken) return undefined
    const isFull = taken.lane === 'bulk' && (await isBulkWindowFull(db, app_id))
    const cut = isFull ? 'no_room' : await cutTaken(audience, taken)
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
    // Frozen at the first page; a row from before they were has none.
    const settings = taken.settings ?? (await audience.settingsOf(taken.app_id))
    if (!settings) return await fail(audience, taken, appIsGone)
    const resolved = resolveTarget(target)
    if (!resolved.ok) return await fail(audience, taken, resolved.failure)
    const cut = await cutPage(audience, { ...taken, settings, send }, resolved.selection, (trx, page) => advanceFanOut(trx, taken, page))
    return cut === 'lost' ? undefined : cut
  } catch (error) {
    await returnPage(db, taken.campaign_id, taken.page).catch(() => undefined)
    throw error
  }
}

async function fail({ db }: Audience, taken: FanOut, failure: FanOutFailure): Promise<Cut | undefined> {
  const row = await failFanOut(db, taken, failure)
  return row && { row, batches: [] }
}
