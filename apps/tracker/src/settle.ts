import { dropCampaigns } from '@herald/contracts/calls/audience'
import { settleCampaigns } from '@herald/contracts/calls/campaigns'
import type { Bus } from '@herald/service/bus'
import { deleteSettlements, markTold, type Settlement } from './store/settlements.ts'
import type { Db } from './store/tables.ts'

/** Campaigns that are told in one call. */
export const settlementsPerCall = 200

/**
 * Tells campaigns and audience that every queued push of these campaigns has an outcome, at most 200 in one call to each. Who has answered is
 * not asked again; when both have, the rows go. Both calls are idempotent, so a crash in between only repeats one.
 */
export async function tellSettlements({ db, bus }: { db: Db; bus: Pick<Bus, 'call'> }, settlements: Settlement[]): Promise<void> {
  const idsOf = (untold: Settlement[]) => untold.map(({ campaign_id }) => campaign_id)
  const forCampaigns = idsOf(settlements.filter(({ campaigns_told }) => !campaigns_told))
  const forAudience = idsOf(settlements.filter(({ audience_told }) => !audience_told))
  const [campaigns, audience] = await Promise.allSettled([
    forCampaigns.length > 0 ? bus.call(settleCampaigns, { campaignIds: forCampaigns }) : undefined,
    forAudience.length > 0 ? bus.call(dropCampaigns, { campaignIds: forAudience }) : undefined,
  ])
  const told = settlements.map((one) => ({
    campaign_id: one.campaign_id,
    campaigns_told: one.campaigns_told || campaigns.status === 'fulfilled',
    audience_told: one.audience_told || audience.status === 'fulfilled',
  }))
  const isOver = ({ campaigns_told, audience_told }: Settlement) => campaigns_told && audience_told
  const over = told.filter(isOver)
  if (over.length > 0) await deleteSettlements(db, idsOf(over))
  const news = told.filter((one) => !isOver(one) && (one.campaigns_told || one.audience_told))
  if (news.length > 0) await markTold(db, news)
}
