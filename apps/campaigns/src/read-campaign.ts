import type { Campaign } from '@herald/contracts/campaign'
import { isCancelling } from './core/campaign.ts'
import { findCampaign } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type Answer = Pick<Campaign, 'id' | 'name' | 'status' | 'cancelling' | 'transactional' | 'createdAt'>

/** A campaign's status for its app; null when unknown or another app's. */
export async function readCampaign(db: Db, { appId, campaignId }: { appId: string; campaignId: string }): Promise<Answer | null> {
  const row = await findCampaign(db, appId, campaignId)
  if (!row) return null
  const { id, name, status, transactional, created_at } = row
  return { id, name, status, cancelling: isCancelling(row), transactional, createdAt: created_at.toISOString() }
}
