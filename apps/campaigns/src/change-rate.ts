import { fault, notFound } from '@herald/contracts/fault'
import type { Campaigns } from './campaigns.ts'
import { isCancelling } from './core/campaign.ts'
import { findCampaign } from './store/campaigns.ts'
import * as store from './store/flows.ts'
import { tellFlow } from './tell-flows.ts'

/**
 * Changes the rate of a campaign that has not ended; null takes it away. Audience is told before the answer; if it cannot be, the sweep tells it.
 * `etaSeconds`: null when it is not known. Faults: not_found, invalid_state.
 */
export async function changeRate(
  { db, bus, log }: Pick<Campaigns, 'db' | 'bus' | 'log'>,
  { appId, campaignId, perMinute }: { appId: string; campaignId: string; perMinute: number | null },
): Promise<{ perMinute: number | null; etaSeconds: number | null }> {
  const changed = await store.changeRate(db, { appId, campaignId }, perMinute ?? 0)
  if (!changed) {
    const campaign = await findCampaign(db, appId, campaignId)
    if (!campaign) throw notFound()
    if (campaign.recallOf !== null) throw fault('invalid_state', 'A recall obeys no rate. Pause or cancel it instead.')
    const status = isCancelling(campaign) ? 'being cancelled' : campaign.status
    throw fault('invalid_state', `The campaign is ${status}; only one that has not ended can have another rate.`)
  }
  if (!changed.isTold) return { perMinute, etaSeconds: null }
  const { left } = await tellFlow({ db, bus }, changed).catch((error: unknown) => {
    log.debug({ campaignId, err: error }, 'audience was not told of the rate yet')
    return { left: null }
  })
  return { perMinute, etaSeconds: perMinute === null || left === null ? null : Math.ceil((left * 60) / perMinute) }
}
