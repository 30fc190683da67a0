import { Fault } from '@herald/contracts/fault'
import { isLockedOut } from '@herald/service/health'
import type { Campaigns, Several, Flows } from './campaigns.ts'
import { changeOf } from './core/campaign.ts'
import { findHeld, markFailed, markSettled, markStarted } from './store/campaigns.ts'

/**
 * Notes that audience has these campaigns' fan-out rows. Answers each flow, which may have changed since audience read it; null when unknown.
 * Requests share a statement; one whose row another transaction holds is refused.
 */
export async function fanOutStarted({ db }: Pick<Campaigns, 'db'>, requests: Several[]): Promise<(Flows | Fault)[]> {
  const { done, held } = await despiteHeld(db, idsOf(requests), (campaignIds) => markStarted(db, campaignIds))
  const rows = new Map(done.map((row) => [row.id, row]))
  const flowTo = (campaignId: string) => {
    const row = rows.get(campaignId)
    return row ? changeOf(row) : null
  }
  return requests.map((request) => refusalOf(request, held) ?? { flows: request.campaignIds.map(flowTo) })
}

/**
 * Ends these campaigns: the tracker has an outcome for each of their queued pushes. Requests that come together share a statement; one with a row that
 * another transaction holds is refused.
 */
export async function settleCampaigns({ db }: Pick<Campaigns, 'db'>, requests: Several[]): Promise<(Record<string, never> | Fault)[]> {
  const { held } = await despiteHeld(db, idsOf(requests), (campaignIds) => markSettled(db, campaignIds))
  return requests.map((request) => refusalOf(request, held) ?? {})
}

/** Changes the rows of these campaigns. Rows that another transaction holds for longer than 500 ms are left out and given as `held`. */
async function despiteHeld<Done>(
  db: Campaigns['db'],
  campaignIds: string[],
  change: (campaignIds: string[]) => Promise<Done>,
): Promise<{ done: Done; held: ReadonlySet<string> }> {
  try {
    return { done: await change(campaignIds), held: new Set() }
  } catch (error) {
    if (!isLockedOut(error)) throw error
    const held = await findHeld(db, campaignIds)
    return { done: await change(campaignIds.filter((id) => !held.has(id))), held }
  }
}

/** `internal` and not `queue_unavailable`, which says that campaigns is away: audience and tracker then tell of each campaign alone, again later. */
const refusalOf = ({ campaignIds }: Several, held: ReadonlySet<string>): Fault | undefined => {
  const one = campaignIds.find((id) => held.has(id))
  if (one !== undefined) return new Fault('internal', 'Internal error.', undefined, new Error(`another transaction holds campaign ${one}`))
  return undefined
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
