import { findKept } from './store/counters.ts'
import { findOutcomes } from './store/ledger.ts'
import type { Db } from './store/tables.ts'

/** Which of these pushes of a campaign have an outcome, for who knows no more than its id: none when it is past the ledger's retention. */
export async function findSettled(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { campaignId, subscriptionIds }: { campaignId: string; subscriptionIds: string[] },
): Promise<{ subscriptionIds: string[] }> {
  const [campaign] = await findKept(db, [campaignId], retentionDays)
  if (!campaign) return { subscriptionIds: [] }
  const outcomes = await findOutcomes(db, { day: campaign.day, campaignId, subscriptionIds })
  return { subscriptionIds: outcomes.map(({ subscription_id }) => subscription_id) }
}
