import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import { deleteCounters, findCampaignsOf, lockCounters } from './store/counters.ts'
import { deleteAttempts, deleteEngagements, deleteLedgerRows, deleteListeners } from './store/erased-apps.ts'
import { deleteConversionsOfApp } from './store/conversions.ts'
import { deleteInboxOfApp } from './store/inbox.ts'
import { deleteSeriesOf } from './store/series.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

/** A call stops once it has deleted this many rows. The counters of a campaign, with its variants, codes and curve, count as one row. */
const mostRows = 4_000
const campaignsAtOnce = 500

/** Deletes an app's rows of the ledger, reports of devices, conversions, marks of inboxes, counters and series, a part with every call. `done`: nothing is left. */
export async function eraseApp({ db }: Pick<Tracker, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  // The mark comes first: outcomes, totals and reports that still arrive are then answered and not written, so no row comes back and no sender
  // repeats a message for ever.
  await markErased(db, 'tracker', appId)
  await deleteListeners(db, appId)
  for (let left = mostRows; left > 0;) {
    const erased =
      (await transact(db, (trx) => erasePart(trx, appId, left))) ||
      (await deleteConversionsOfApp(db, appId, left)) ||
      (await deleteInboxOfApp(db, appId, left)) ||
      (await deleteSeriesOf(db, appId, left))
    if (erased === 0) return { done: true }
    left -= erased
  }
  return { done: false }
}

/**
 * Deletes rows of some campaigns of an app, then their counters, about `most` rows, and gives how many. It must lock the ledger's rows in their key's
 * order, then the counters, as a writer of outcomes does.
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
