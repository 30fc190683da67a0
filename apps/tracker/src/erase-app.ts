import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import { deleteCounters, findCampaignsOf, lockCounters } from './store/counters.ts'
import { deleteAttempts, deleteEngagements, deleteLedgerRows, deleteListeners } from './store/erased-apps.ts'
import { deleteSeriesOf } from './store/series.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

/** A call stops once it has deleted this many rows. The counters of a campaign, with its variants, codes and curve, count as one row. */
const mostRows = 4_000
const campaignsAtOnce = 500

/**
 * Deletes an app's rows of the ledger, reports of devices, counters and series, a part with every call. The app is marked first: outcomes, totals of
 * queued pushes and reports of devices that still arrive for it are then answered and not written. So no row comes back, and no sender repeats a
 * message for ever.
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
 * Deletes the rows of some campaigns of an app and then the campaigns' counters, about `most` rows, and gives how many. It locks first the
 * ledger's rows in the order of their key and then the counters, as a writer of outcomes does. No further row of these campaigns is written, since
 * the app was marked before this transaction.
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
