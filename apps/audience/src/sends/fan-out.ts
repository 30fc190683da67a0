import { Fault } from '@herald/contracts/fault'
import type { FanOutPointer } from '@herald/contracts/batch'
import { noteFailedStart } from '@herald/contracts/calls/campaigns'
import type { Audience } from '../audience.ts'
import { pointAtBatches, pointAtPages } from '../point.ts'
import type { FanOutFailure } from '../store/tables.ts'
import { awaitLastNotified, cutPage, resolveTarget, type Cut } from './cut-page.ts'
import { codeOfFailure, failureOf, isAway } from './page-failure.ts'
import { plan, startFanOut } from './start-fan-out.ts'
import { isBulkWindowFull, waitForWindow } from './store/bulk-window.ts'
import { advanceFanOut, failFanOut, findFanOut, keepWaves, noteFailure, returnPage, takePage, type FanOut } from './store/fan-outs.ts'
import { millisecondsUntilPage, waitForTurns } from './store/turns-of-sends.ts'
import { tellStart, tellTotals } from './tell-totals.ts'

/**
 * One call of `fanOut` makes at most this many pages. Then it publishes a pointer at the next page, so that all processes of audience share the work.
 */
const pagesPerRun = 4

/**
 * Makes the next pages of a campaign's fan-out and answers how many (docs/architecture.md, step 3). A pointer at page 0 inserts the row if there is
 * none. A pointer at another page counts if that page is next.
 */
export async function fanOut(audience: Audience, { campaignId, page }: FanOutPointer): Promise<number> {
  const known = await findFanOut(audience.db, campaignId)
  const started = page === 0 && !known ? await begin(audience, campaignId) : undefined
  let row = started?.row ?? known ?? (await findFanOut(audience.db, campaignId))
  if (!row || row.settledAt || (page !== 0 && row.page !== page)) return 0
  // A second pointer at page 0 may mean that campaigns does not know that the send has started, so audience tells campaigns again.
  if (page === 0 && row.toldPage > 0) await tellStart(audience, row)
  // The tracker gets a page's totals before pointers at its batches are published and before the next page is made.
  if (!(await tellTotals(audience, row, started?.made))) return 0
  await pointAtBatches(audience, started?.batches ?? [])

  // A page that failed is tried again when the sweep points at it. A repeated pointer at page 0 does not try it earlier.
  if (page === 0 && row.failures > 0) return 0
  let pages = started && row.page > 1 ? 1 : 0
  // When a page of this call shows that the send is large, the call ends: the next pointer goes to `work.fan-out.bulk`, so that a large send does not
  // delay another send's first page.
  const isOfLarge = !started && row.lane === 'bulk'
  for (; pages < pagesPerRun && isOpen(row) && (isOfLarge || row.lane !== 'bulk'); pages += 1) {
    const cut = await cutNextPage(audience, row)
    if (!cut || !(await tellTotals(audience, cut.row, cut.made))) return pages
    await pointAtBatches(audience, cut.batches)
    row = cut.row
  }
  if (isOpen(row)) await pointAtPages(audience, [{ campaignId, page: row.page, pointerNo: row.pointerNo, lane: row.lane }])
  return pages
}

/**
 * Starts the fan-out. A failure while database and services answer gives undefined, so that the pointer is acknowledged: NATS would repeat it every 2
 * s. Campaigns points at the send again within 15 s, up to five times.
 */
async function begin(audience: Audience, campaignId: string): Promise<Cut | undefined> {
  try {
    return await startFanOut(audience, campaignId)
  } catch (error) {
    if (isAway(error)) throw error
    audience.log.error({ campaignId, err: error }, 'a send cannot be begun')
    await audience.bus.call(noteFailedStart, { campaignId }).catch(() => undefined)
    return undefined
  }
}

const isOpen = ({ state }: FanOut): boolean => state === 'running' || state === 'waiting'

/** Makes the next page of a fan-out, if the fan-out may go on now and no other process is making the page. */
async function cutNextPage(audience: Audience, { campaignId, appId, page }: FanOut): Promise<Cut | undefined> {
  const { db } = audience
  for (let looks = 1; ; looks += 1) {
    const taken = await takePage(db, campaignId, page)
    if (!taken) return undefined
    const cut = await cutTaken(audience, taken)
    if (cut !== 'no_room') return cut
    await waitForWindow(db, taken)
    // A batch that finished between the first count and `waitForWindow` woke no fan-out, so audience counts once more. It does not count a third
    // time: only `hasRoom` counts held batches, which may keep the window full.
    if (looks > 1 || (await isBulkWindowFull(audience, appId))) return undefined
  }
}

async function cutTaken(audience: Audience, taken: FanOut): Promise<Cut | 'no_room' | undefined> {
  const { db } = audience
  const { send, target, settings } = taken
  if (!send || !target || !settings) return undefined
  try {
    if (taken.perMinute !== null) {
      const waitMs = await millisecondsUntilPage(db, taken)
      if (waitMs > 0) return void (await waitForTurns(db, taken, waitMs))
    } else if (taken.lane === 'bulk' && (await isBulkWindowFull(audience, taken.appId))) return 'no_room'
    const resolved = resolveTarget(target)
    if (!resolved.ok) return await fail(audience, taken, resolved.failure)
    await awaitLastNotified(audience, taken.appId, resolved.selection)
    // A row that was inserted because the first page failed has no waves yet.
    const waves = taken.page === 1 && !taken.waves ? await plan(audience, { ...taken, send, settings }, resolved.selection) : null
    if (waves?.[0]) return withoutBatches(await keepWaves(db, taken, waves, waves[0].at))
    const cut = await cutPage(audience, { ...taken, settings, send }, resolved.selection, (trx, page) => advanceFanOut(trx, taken, page))
    return cut === 'lost' ? undefined : cut
  } catch (error) {
    return keepForLater(audience, taken, error)
  }
}

/**
 * Sees to it that a failed page is tried again: by NATS while the database is away, by the sweep after 5 s while another service is, otherwise after
 * growing waits. After the fifth try the send fails.
 */
async function keepForLater({ db, log }: Audience, taken: FanOut, error: unknown): Promise<Cut | undefined> {
  const { campaignId, appId, page } = taken
  if (isAway(error)) {
    await returnPage(db, campaignId, page).catch(() => undefined)
    if (!Fault.is(error, 'queue_unavailable')) throw error
    log.debug({ campaignId, appId, page, err: error }, 'a page waits for another service')
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
