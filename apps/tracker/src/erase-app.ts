import { transact } from '@herald/service/postgres'
import { deleteCounters, findCampaignsOf, lockCounters } from './store/counters.ts'
import { deleteSeriesOf } from './store/series.ts'
import { deleteAttempts, deleteEngagements, deleteLedgerRows, markErased } from './store/erased-apps.ts'
import type { Db } from './store/tables.ts'

/** Of these are a call's at most about 5,000 rows. */
const mostRows = 4_000
const campaignsAtOnce = 500

/**
 * Deletes what the tracker has of an app, a part with every call. The mark comes first: what is still on its way for the app, outcomes,
 * totals or reports, is answered and let go, so that neither do its rows come back nor do their senders repeat them for ever.
 */
export async function eraseApp(db: Db, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, appId)
  for (let left = mostRows; left > 0;) {
    const erased = (await transact(db, (trx) => erasePart(trx, appId, left))) || (await deleteSeriesOf(db, appId, left))
    if (erased === 0) return { done: true }
    left -= erased
  }
  return { done: false }
}

/**
 * The rows of some campaigns, then their counters; answers how many went. The ledger's rows come first, in their order, and the counters after
 * them: so does who writes outcomes. No row is made for these campaigns any more, since the mark is older than this transaction.
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
