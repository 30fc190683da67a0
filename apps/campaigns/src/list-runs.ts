import type { Run } from '@herald/contracts/calls/campaigns'
import { notFound } from '@herald/contracts/fault'
import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { Campaigns } from './campaigns.ts'
import { isCancelling } from './core/campaign.ts'
import { findCampaign } from './store/campaigns.ts'
import { findRuns, type RunRow } from './store/recurrences.ts'

/** Lists the runs of a recurrence, newest day first; none for a campaign that does not recur. Faults: not_found, invalid_body at `cursor`. */
export async function listRuns(
  { db }: Pick<Campaigns, 'db'>,
  { appId, campaignId, limit, cursor }: { appId: string; campaignId: string; limit: number; cursor?: string | undefined },
): Promise<Listed<Run>> {
  // A recurrence has at most one run a day, so the time in a cursor is the day of a run.
  const before = cursor === undefined ? undefined : readCursor(cursor).createdAt.toISOString().slice(0, 10)
  if (!(await findCampaign(db, appId, campaignId))) throw notFound()
  const rows = await findRuns(db, campaignId, { limit, before })
  const places = rows.map((row) => ({ id: row.id, createdAt: new Date(row.day), run: toRun(row) }))
  return listed(places, limit, ({ run }) => run)
}

const toRun = (row: RunRow): Run => ({
  id: row.id,
  localDate: row.day,
  status: row.status,
  cancelling: isCancelling(row),
  failure: row.failure,
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  settledAt: row.settledAt?.toISOString() ?? null,
})
