import type { CampaignsSummary } from '@herald/contracts/series'
import type { Campaigns } from './campaigns.ts'
import { countByStatus, findFailed, findNext, findPaused } from './store/summaries.ts'

/** Gives what an overview says of an app's campaigns: how many have each status, what begins next, what is paused and what failed. */
export async function summarizeCampaigns({ db }: Pick<Campaigns, 'db'>, { appId }: { appId: string }): Promise<CampaignsSummary> {
  const counts = await countByStatus(db, appId)
  const next = await findNext(db, appId)
  const paused = await findPaused(db, appId)
  const failed = await findFailed(db, appId)
  return {
    byStatus: Object.fromEntries(counts.map(({ status, count }) => [status, count])),
    next: next.map(({ id, name, dueAt, schedule }) => ({ campaignId: id, name, at: dueAt.toISOString(), schedule })),
    paused: paused.map(({ id, name, since }) => ({ campaignId: id, name, since: since.toISOString() })),
    failed: failed.map(({ id, name, at, code }) => ({ campaignId: id, name, at: at.toISOString(), code: code ?? 'internal' })),
  }
}
