import { findSegment } from '@herald/contracts/calls/audience'
import type { explainCampaign as explainCampaignCall, FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { findWhole, type CampaignRow } from './store/campaigns.ts'
import { listRecalls } from './store/recalls.ts'

type Answer = NonNullable<(typeof explainCampaignCall)['answer']>

const dayMs = 86_400_000

/**
 * Gives a campaign with its frozen send and target; before it is sent, with what they would be if it were sent now. Null when the campaign is unknown
 * or belongs to another app.
 */
export async function explainCampaign(
  { bus, pauseDays, reads }: Pick<Campaigns, 'bus' | 'pauseDays' | 'reads'>,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Answer | null> {
  const one = { appId, campaignId }
  const found = await reads(async (db) => ({ row: await findWhole(db, appId, campaignId), recalls: await listRecalls(db, one) }), {
    appId,
  })
  const { row, recalls } = found
  if (!row) return null
  const { status, pausedAt } = row
  const waits = status === 'scheduled' || status === 'active'
  // A campaign that was not sent yet has no `localTimesAfter`. It is explained as if it were sent now.
  const localTimesAfter = row.localTimesAfter ?? (row.startedAt === null ? new Date() : null)
  return {
    status,
    startedAt: toIso(row.startedAt),
    settledAt: toIso(row.settledAt),
    nextAt: waits ? toIso(row.dueAt) : null,
    pause: pausedAt && { since: pausedAt.toISOString(), until: new Date(pausedAt.getTime() + pauseDays * dayMs).toISOString() },
    failure: row.failure?.message ?? null,
    cancelled: status === 'cancelled' || row.cancelling,
    send: freeze({ ...row, localTimesAfter }),
    forgottenBy: row.forgotten?.by ?? null,
    target: row.target ?? (await targetOf(bus, appId, row)),
    recalls,
  }
}

/**
 * Gives the target of a campaign whose row has none: an unsent one's saved segment as it is now (null when deleted). A notification gets null: its
 * row lost the users or devices when it ended.
 */
async function targetOf(bus: Campaigns['bus'], appId: string, { segmentId, transactional }: CampaignRow): Promise<FrozenTarget | null> {
  if (transactional) return null
  if (segmentId === null) return { kind: 'all' }
  const found = await bus.call(findSegment, { appId, segmentId })
  return found && { kind: 'segment', segment: found.definition }
}

const toIso = (at: Date | null): string | null => at && at.toISOString()
