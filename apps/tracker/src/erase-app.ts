import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import { deleteCounters, findCampaignsOf, lockCounters } from './store/counters.ts'
import { deleteAttempts, deleteEngagements, deleteLedgerRows, deleteListeners } from './store/erased-apps.ts'
import { deleteSeriesOf } from './store/series.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

/** With the counters of up to 500 campaigns beside these, one call deletes about 5,000 rows at most. */
const mostRows = 4_000
const campaignsAtOnce = 500

/**
 * Deletes what the tracker has of an app, a part with every call. The mark comes first: outcomes, totals and reports that are still on their way for the
 * app are then answered and not written, so that no rows come back and no sender repeats them for ever.
 */
export async function eraseApp({ db }: Pick<Tracker, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, 'tracker', appId)
  await deleteListeners(db, appId)
  for (let left = mostRows; left > 0;) {
    const erased = (await transact(db, (trx) => erasePart(trx, appId, left))) || (await deleteSeriesOf(db, appId, left))
    if (erased === 0) return { done: true }
    left -= erased
  }
  return { done: false }
}

/**
 * Deletes the rows of some campaigns and then their counters, and gives the number of rows. It locks the ledger's rows first, in their order, and then
 * the counters, as a writer of outcomes does. No row of these campaigns is made any more, since the mark is older than this transaction.
 */
async function erasePart(trx: Db, appId: string, most: number): Promise<number> {
  let erased = 0
  for (const { day, campaignIds } of await findCampaignsOf(trx, appId, campaignsAtOnce)) {
    erased += await deleteLedgerRows(trx, { day, campaignIds, limit: most - erased })
    if (erased >= most) return erased
    erased += await deleteAttempts(trx, { day, campaignIds, limit: most - erased })
    if (erased >= most) return erased
    await lockCounters(trx, campaignIds)
    erased += await deleteEngagements(trx, { day, campaignIds, limit: most - erased })
    if (erased >= most) return erased
    erased += await deleteCounters(trx, campaignIds)
    if (erased >= most) return erased
  }
  return erased
}
