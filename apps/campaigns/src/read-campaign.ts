import type { CampaignStatus } from '@herald/contracts/stats'
import { findCampaign } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type Answer = { id: string; name: string; status: CampaignStatus; transactional: boolean; createdAt: string }

/** A campaign's status for its app; null when unknown or another app's. */
export async function readCampaign(db: Db, { appId, campaignId }: { appId: string; campaignId: string }): Promise<Answer | null> {
  const row = await findCampaign(db, appId, campaignId)
  if (!row) return null
  const { created_at, ...campaign } = row
  return { ...campaign, createdAt: created_at.toISOString() }
}
