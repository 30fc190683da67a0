import { setTimeout as sleep } from 'node:timers/promises'
import { dropCampaigns } from '@herald/contracts/calls/audience'
import { settleCampaigns } from '@herald/contracts/calls/campaigns'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { deleteSettlements, markTold, type Settlement } from './store/settlements.ts'
import type { Tracker } from './tracker.ts'

/** One call tells of at most this many campaigns. */
export const settlementsPerCall = 200
/**
 * Audience is told this much later than campaigns. By then a dispatcher has as a rule finished the batches of a small send, so audience writes the
 * send's row once and not twice.
 */
const dropAfterMs = 500

/**
 * Tells campaigns and audience that every queued push of these campaigns has an outcome, at most 200 in one call. A settlement's row is deleted when
 * both have confirmed it. After a crash calls are repeated, without effect.
 */
export async function tellSettlements({ db, bus, log }: Pick<Tracker, 'db' | 'bus' | 'log'>, settlements: Settlement[]): Promise<void> {
  const idsOf = (some: { campaignId: string }[]) => some.map(({ campaignId }) => campaignId)
  /** Gives the campaigns that were confirmed. When the service refuses the call by a mistake, one campaign may be the reason: each is then told alone. */
  const tell = async (service: string, campaignIds: string[], call: (campaignIds: string[]) => Promise<unknown>): Promise<Set<string>> => {
    if (campaignIds.length === 0) return new Set()
    try {
      await call(campaignIds)
      return new Set(campaignIds)
    } catch (error) {
      if (!Fault.is(error, 'internal')) return new Set()
      const alone = await Promise.allSettled(campaignIds.map((campaignId) => call([campaignId])))
      const refused = campaignIds.filter((_, index) => alone[index]?.status === 'rejected')
      log.error(
        { service, campaigns: refused.length, campaignId: refused[0], err: error },
        'a settled campaign is refused; it is told again in 5 s',
      )
      return new Set(campaignIds.filter((_, index) => alone[index]?.status === 'fulfilled'))
    }
  }
  const [campaigns, audience] = await Promise.all([
    tell('campaigns', idsOf(settlements.filter(({ campaignsTold }) => !campaignsTold)), (campaignIds) =>
      bus.call(settleCampaigns, { campaignIds }),
    ),
    tell('audience', idsOf(settlements.filter(({ audienceTold }) => !audienceTold)), (campaignIds) =>
      bus.call(dropCampaigns, { campaignIds }),
    ),
  ])
  const told = settlements.map(({ campaignId, campaignsTold, audienceTold }) => ({
    campaignId,
    campaignsTold: campaignsTold || campaigns.has(campaignId),
    audienceTold: audienceTold || audience.has(campaignId),
  }))
  const isOver = ({ campaignsTold, audienceTold }: Settlement) => campaignsTold && audienceTold
  const over = told.filter(isOver)
  if (over.length > 0) await deleteSettlements(db, idsOf(over))
  const news = told.filter((one) => !isOver(one) && (one.campaignsTold || one.audienceTold))
  if (news.length > 0) await markTold(db, news)
}

/**
 * Tells of settlements as they come; those within 50 ms share a call. Campaigns is told at once, because it shows the status, audience half a second
 * later. After a failure the sweep tells of settlements 5 s old.
 */
export function openSettlementTelling({ db, bus, log }: Pick<Tracker, 'db' | 'bus' | 'log'>): (campaignId: string) => Promise<void> {
  const shared = { limit: settlementsPerCall, maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody, atOnce: 2, restMs: 50 }
  const tellCampaigns = group(async (campaignIds: string[]) => {
    await bus.call(settleCampaigns, { campaignIds })
    return campaignIds
  }, shared)
  const tellAudience = group(async (campaignIds: string[]) => {
    await tellSettlements(
      { db, bus, log },
      campaignIds.map((campaignId) => ({ campaignId, campaignsTold: true, audienceTold: false })),
    )
    return campaignIds
  }, shared)
  return async (campaignId) => {
    await tellCampaigns(campaignId)
    await sleep(dropAfterMs)
    await tellAudience(campaignId)
  }
}
