import type { Audience } from './audience.ts'
import { announce, pointAtBatches, pointAtPages } from './delivery/point.ts'
import { takeDueAnnouncements } from './store/announcements.ts'
import type { BatchPointerRow } from './delivery/store/batches.ts'
import { takeDueBatches } from './sends/store/lanes.ts'
import { millisecondsUntilDue } from './store/due.ts'
import { findUntold, takeDueFanOuts } from './sends/store/fan-outs.ts'
import { tellTotals } from './sends/tell-totals.ts'

/** Rows of a kind taken by one sweep; it comes back at once for more. */
const atOnce = 200

/**
 * Points again at whatever is due and not in work: batches nobody took, whose taker died or whose retry time has come, pages
 * nobody cut, totals nobody told, announcements nobody confirmed. It repairs every crash and a lost NATS store.
 */
export async function sweepDue(audience: Audience): Promise<{ took: number; nextInMs?: number }> {
  const { db } = audience
  // Each kind by itself: rows of one kind that cannot be taken stop no other kind.
  const kinds = await Promise.allSettled([
    takeDueBatches(db, atOnce).then(async (batches) => {
      await pointAtBatches(audience, await onlyTold(audience, batches))
      return batches.length
    }),
    takeDueFanOuts(db, atOnce).then(async (pages) => {
      await pointAtPages(audience, pages)
      return pages.length
    }),
    takeDueAnnouncements(db, atOnce).then(async (announcements) => {
      await announce(audience, announcements)
      return announcements.length
    }),
  ])
  const failed = kinds.find((kind) => kind.status === 'rejected')
  if (failed) throw failed.reason

  const took = kinds.reduce((sum, kind) => sum + (kind.status === 'fulfilled' ? kind.value : 0), 0)
  if (took > 0) return { took }
  const nextInMs = await millisecondsUntilDue(db)
  return nextInMs === undefined ? { took } : { took, nextInMs }
}

/** Without the batches of fan-outs whose totals the tracker does not know: it must have counted a push before a device can answer it. */
async function onlyTold(audience: Audience, batches: BatchPointerRow[]): Promise<BatchPointerRow[]> {
  if (batches.length === 0) return batches
  const fanOuts = await findUntold(audience.db, [...new Set(batches.map(({ campaignId }) => campaignId))])
  const told = await Promise.all(fanOuts.map((fanOut) => tellTotals(audience, fanOut)))
  const untold = new Set(fanOuts.filter((_, index) => !told[index]).map(({ campaign_id }) => campaign_id))
  return batches.filter(({ campaignId }) => !untold.has(campaignId))
}
