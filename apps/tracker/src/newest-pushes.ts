import type { LedgerRow } from '@herald/contracts/calls/tracker'
import { inListOrder } from './core/page-cursor.ts'
import { findEngagements } from './store/engagements.ts'
import { findPushes, type FoundPush } from './find-pushes.ts'
import { ledgerRow } from './list-pushes.ts'
import type { Db } from './store/tables.ts'

/** No device is looked at after this. */
const devicesWithinMs = 1_500

/**
 * The newest pushes of a user to these devices that ended, newest campaign first. Asked device by device, which the indexes of the ledger know, with one bounded page
 * each: looked for by the user alone, all large sends of the app would be looked through.
 */
export async function newestPushes(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { appId, userId, subscriptionIds, limit }: { appId: string; userId: string; subscriptionIds: string[]; limit: number },
): Promise<{ pushes: LedgerRow[] }> {
  const until = performance.now() + devicesWithinMs
  const found: FoundPush[] = []
  for (const subscriptionId of subscriptionIds) {
    if (performance.now() > until) break
    found.push(...(await findPushes(db, { appId, userId, subscriptionId, limit, retentionDays })).page)
  }
  const page = found.toSorted(inListOrder).slice(0, limit)
  const reported = await findEngagements(
    db,
    page.map(({ row, campaignId, subscriptionId }) => ({ day: row.day, campaignId, subscriptionId })),
  )
  return { pushes: page.map((push) => ledgerRow(push, reported.get(push.campaignId + push.subscriptionId) ?? [])) }
}
