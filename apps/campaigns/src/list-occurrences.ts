import { notFound } from '@herald/contracts/fault'
import { nextOccurrences } from '@herald/contracts/occurrences'
import { findTimeZone } from '@herald/contracts/text'
import type { Campaigns } from './campaigns.ts'
import { runsLeft } from './core/schedule.ts'
import { findPlanned } from './store/recurrences.ts'

type Answer = { items: { at: string; localDate: string }[] }

/**
 * Lists when a recurrence runs next; of a draft, as if it were sent now. Empty for a campaign that does not recur, has ended, or whose zone the
 * runtime does not know. Fault: not_found.
 */
export async function listOccurrences(
  { db }: Pick<Campaigns, 'db'>,
  { appId, campaignId, limit }: { appId: string; campaignId: string; limit: number },
): Promise<Answer> {
  const planned = await findPlanned(db, appId, campaignId)
  if (!planned) throw notFound()
  const { status, schedule, now, activatedAt, runCount } = planned
  const comes = status === 'draft' || status === 'active' || status === 'paused'
  if (!comes || schedule?.type !== 'recurring' || !findTimeZone(schedule.timezone)) return { items: [] }
  const most = Math.min(limit, runsLeft(schedule, runCount))
  const found = nextOccurrences(schedule, { activatedAt: activatedAt ?? now, after: now, most })
  return { items: found.map(({ at, localDate }) => ({ at: at.toISOString(), localDate })) }
}
