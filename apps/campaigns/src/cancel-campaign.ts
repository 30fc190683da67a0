import { fault, notFound } from '@herald/contracts/fault'
import { findCampaign, markCancelled } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/**
 * Cancels a campaign that has not started. Runs of a recurrence that were made already are campaigns of their own and go on.
 * Faults: not_found, invalid_state.
 */
export async function cancelCampaign(
  db: Db,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ status: 'cancelled' }> {
  if (await markCancelled(db, appId, campaignId)) return { status: 'cancelled' }
  const campaign = await findCampaign(db, appId, campaignId)
  if (!campaign) throw notFound()
  throw fault('invalid_state', `The campaign is ${campaign.status}; only one that has not started can be cancelled.`)
}
