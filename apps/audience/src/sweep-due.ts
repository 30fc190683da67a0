import type { Event } from '@herald/contracts/event'
import { takeDueAnnouncements } from '@herald/service/announcements'
import type { Audience } from './audience.ts'
import { announce, pointAtBatches, pointAtPages } from './point.ts'
import { failsEverybody } from '@herald/service/health'
import { findUntold } from './sends/store/told.ts'
import { tellTotals } from './sends/tell-totals.ts'
import { millisecondsUntilDue, takeDueBatches, takeDueFanOuts, type BatchPointerRow } from './store/due.ts'

/** One sweep takes at most this many rows of each kind (batches, fan-outs, announcements). While more rows are due, it runs again at once. */
const atOnce = 200

/**
 * Points again at batches, fan-outs and announcements whose `due_at` has passed, at most 200 of a kind. So Herald goes on after every crash, and
 * after NATS has lost its store.
 */
export async function sweepDue(audience: Audience): Promise<{ took: number; nextInMs?: number }> {
  const { db } = audience
  // If the rows of one kind cannot be taken, the other kinds still are.
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
      await announce(
        audience,
        announcements.map((row) => ({ ...row, body: row.body as Event[] })),
      )
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

/**
 * Tells the tracker how many pushes these batches' sends have queued, and leaves out batches where that fails: the tracker must have counted a push
 * as queued before a device can report about it.
 */
async function onlyTold(audience: Audience, batches: BatchPointerRow[]): Promise<BatchPointerRow[]> {
  if (batches.length === 0) return batches
  const fanOuts = await findUntold(audience.db, [...new Set(batches.map(({ campaignId }) => campaignId))])
  const told = await Promise.all(
    fanOuts.map((fanOut) =>
      tellTotals(audience, fanOut).catch((error: unknown) => {
        if (failsEverybody(error)) throw error
        audience.log.warn({ campaignId: fanOut.campaignId, err: error }, 'that totals were told could not be stored')
        return false
      }),
    ),
  )
  const untold = new Set(fanOuts.filter((_, index) => !told[index]).map(({ campaignId }) => campaignId))
  return batches.filter(({ campaignId }) => !untold.has(campaignId))
}
