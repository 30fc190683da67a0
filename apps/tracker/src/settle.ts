import { dropCampaign } from '@herald/contracts/calls/audience'
import { settleCampaign } from '@herald/contracts/calls/campaigns'
import type { Bus } from '@herald/service/bus'
import { deleteSettlements, markTold, type Settlement } from './store/settlements.ts'
import type { Db } from './store/tables.ts'

/**
 * Tells campaigns and audience that every queued push of a campaign has an outcome. Who has answered is not asked again;
 * when both have, the row goes. Both calls are idempotent, so a crash in between only repeats one.
 */
export async function tellSettlement({ db, bus }: { db: Db; bus: Pick<Bus, 'call'> }, settlement: Settlement): Promise<void> {
  const campaignId = settlement.campaign_id
  const [campaigns, audience] = await Promise.allSettled([
    settlement.campaigns_told ? undefined : bus.call(settleCampaign, { campaignId }),
    settlement.audience_told ? undefined : bus.call(dropCampaign, { campaignId }),
  ])
  const told = { campaigns_told: campaigns.status === 'fulfilled', audience_told: audience.status === 'fulfilled' }
  if (told.campaigns_told && told.audience_told) return deleteSettlements(db, [campaignId])
  await markTold(db, { campaign_id: campaignId, ...told })
}
