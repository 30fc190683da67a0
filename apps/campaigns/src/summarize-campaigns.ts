import type { CampaignsSummary } from '@herald/contracts/series'
import type { Campaigns } from './campaigns.ts'
import { countByStatus, findFailed, findNext, findPaused } from './store/summaries.ts'

/** Gives the part of an app's overview that is about campaigns: how many have each status, which begin next, which are paused and which failed. */
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
