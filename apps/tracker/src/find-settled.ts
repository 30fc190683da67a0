import { findKept } from './store/counters.ts'
import { idAt, slotAt } from './core/slots.ts'
import { findRowsOfDevices } from './store/ledger.ts'
import type { Db } from './store/tables.ts'

/** Which of these pushes of a campaign have an outcome, for who knows no more than its id: none when it is past the ledger's retention. */
export async function findSettled(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { campaignId, subscriptionIds }: { campaignId: string; subscriptionIds: string[] },
): Promise<{ subscriptionIds: string[] }> {
  const [campaign] = await findKept(db, [campaignId], retentionDays)
  if (!campaign || subscriptionIds.length === 0) return { subscriptionIds: [] }
  const rows = await findRowsOfDevices(db, { day: campaign.day, campaignId, ids: subscriptionIds })
  const settled = new Set<string>()
  for (const row of rows) {
    for (let index = 0; index < row.size; index += 1) if (slotAt(row, index) !== 0) settled.add(idAt(row.devices, index))
  }
  return { subscriptionIds: subscriptionIds.filter((id) => settled.has(id)) }
}
