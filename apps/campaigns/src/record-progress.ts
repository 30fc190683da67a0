import type { Campaigns, Several, Flows } from './campaigns.ts'
import { flowOf } from './core/campaign.ts'
import { markFailed, markSettled, markStarted } from './store/campaigns.ts'

/**
 * Notes that audience has the fan-out rows of these campaigns. Answers the flow of each, because a campaign may have been paused or cancelled after
 * audience read it; null for a campaign that is unknown. Requests that come together share a statement.
 */
export async function fanOutStarted({ db }: Pick<Campaigns, 'db'>, requests: Several[]): Promise<Flows[]> {
  const rows = new Map((await markStarted(db, idsOf(requests))).map((row) => [row.id, row]))
  const flowTo = (campaignId: string) => {
    const row = rows.get(campaignId)
    return row ? { flow: flowOf(row), no: row.flowNo } : null
  }
  return requests.map(({ campaignIds }) => ({ flows: campaignIds.map(flowTo) }))
}

/** Ends these campaigns: the tracker has an outcome for each of their queued pushes. Requests that come together share a statement. */
export async function settleCampaigns({ db }: Pick<Campaigns, 'db'>, requests: Several[]): Promise<Record<string, never>[]> {
  await markSettled(db, idsOf(requests))
  return requests.map(() => ({}))
}

/** Marks a campaign that audience cannot fan out as failed, with the reason that audience gives. */
export async function failCampaign(
  { db }: Pick<Campaigns, 'db'>,
  { campaignId, ...failure }: { campaignId: string; code: string; message: string },
): Promise<Record<string, never>> {
  await markFailed(db, campaignId, failure)
  return {}
}

const idsOf = (requests: Several[]): string[] => [...new Set(requests.flatMap(({ campaignIds }) => campaignIds))]
