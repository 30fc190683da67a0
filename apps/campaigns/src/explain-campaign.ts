import { findSegment } from '@herald/contracts/calls/audience'
import type { explainCampaign as explainCampaignCall, FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Bus } from '@herald/service/bus'
import { freeze } from './core/frozen-send.ts'
import { findWhole, type CampaignRow } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type Answer = NonNullable<(typeof explainCampaignCall)['answer']>

const dayMs = 86_400_000

/** A campaign with what it says and whom it means: frozen when it was sent, before that as if it were sent now. Null: unknown, or another app's. */
export async function explainCampaign(
  { bus, pauseDays, read }: { bus: Pick<Bus, 'call'>; pauseDays: number; read: <T>(work: (db: Db) => Promise<T>) => Promise<T> },
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Answer | null> {
  const row = await read((db) => findWhole(db, appId, campaignId))
  if (!row) return null
  const { status, paused_at: pausedAt, remainder_of: of, remainder_rate: rate } = row
  const waits = status === 'scheduled' || status === 'active'
  const remainder = of !== null && rate !== null ? { of, sampleRate: rate } : null
  // Of a draft the first local time after now is not planned yet.
  const localTimesAfter = row.local_times_after ?? (row.started_at === null ? new Date() : null)
  return {
    status,
    startedAt: toIso(row.started_at),
    settledAt: toIso(row.settled_at),
    nextAt: waits ? toIso(row.due_at) : null,
    pause: pausedAt && { since: pausedAt.toISOString(), until: new Date(pausedAt.getTime() + pauseDays * dayMs).toISOString() },
    failure: row.failure?.message ?? null,
    cancelled: status === 'cancelled' || row.cancelling,
    send: freeze({ ...row, appId, collapseId: row.collapse_id, localTimesAfter, remainder }),
    target: row.target ?? (await targetOf(bus, appId, row)),
  }
}

/** Of a draft that names a saved segment its definition as it is now; null: it is gone, or a notification that has ended named users or devices. */
async function targetOf(
  bus: Pick<Bus, 'call'>,
  appId: string,
  { segment_id: segmentId, transactional }: CampaignRow,
): Promise<FrozenTarget | null> {
  if (transactional) return null
  if (segmentId === null) return { kind: 'all' }
  const found = await bus.call(findSegment, { appId, segmentId })
  return found && { kind: 'segment', segment: found.definition }
}

const toIso = (at: Date | null): string | null => at && at.toISOString()
