import { dropCampaigns } from '@herald/contracts/calls/audience'
import { settleCampaigns } from '@herald/contracts/calls/campaigns'
import { queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { deleteSettlements, markTold, type Settlement } from './store/settlements.ts'
import type { Db } from './store/tables.ts'

/** Campaigns that are told in one call. */
export const settlementsPerCall = 200
/** By then a dispatcher has finished the batches of a small send, so that audience writes its row once and not twice. Nobody waits for this. */
const dropAfterMs = 500

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

/**
 * Tells settlements as they come, those of 50 ms in one call: campaigns at once, whose status it is, audience half a second later. What
 * is left out here the sweep tells, within 5 s.
 */
export function openSettlementTelling({ db, bus }: { db: Db; bus: Pick<Bus, 'call'> }): (campaignId: string) => Promise<void> {
  const shared = { limit: settlementsPerCall, maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody, atOnce: 2, restMs: 50 }
  const settle = group(async (campaignIds: string[]) => {
    await bus.call(settleCampaigns, { campaignIds })
    return campaignIds
  }, shared)
  const drop = group(async (campaignIds: string[]) => {
    await tellSettlements(
      { db, bus },
      campaignIds.map((campaign_id) => ({ campaign_id, campaigns_told: true, audience_told: false })),
    )
    return campaignIds
  }, shared)
  return async (campaignId) => {
    await settle(campaignId)
    await new Promise((resolve) => setTimeout(resolve, dropAfterMs))
    await drop(campaignId)
  }
}
