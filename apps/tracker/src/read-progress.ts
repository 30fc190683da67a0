import type { Progress } from '@herald/contracts/calls/tracker'
import { perPlatform } from '@herald/contracts/platform'
import { statsOf } from './core/stats.ts'
import { findCounters, findVariantCounters } from './store/counters.ts'
import { sumLargeSends } from './store/large-campaigns.ts'
import type { Tracker } from './tracker.ts'

/** Says how far a send has come, in all and by platform. Null when no fan-out has reported the send, or it belongs to another app. */
export async function readProgress(
  { db }: Pick<Tracker, 'db'>,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Progress | null> {
  const [row] = await findCounters(db, appId, [campaignId])
  if (!row) return null
  return {
    stats: statsOf(row, await findVariantCounters(db, [campaignId])),
    byPlatform: perPlatform((platform) => ({ queued: row.queued[platform], settled: row.ended[platform] })),
    fannedOut: row.fannedOutAt !== null,
    settled: row.settledAt !== null,
  }
}

/**
 * Gives how many pushes the last large sends of an app had together, and how many seconds they took. Null when the app has no such send (spec:
 * sending/dry-run-estimate).
 */
export async function readPace(
  { db }: Pick<Tracker, 'db'>,
  { appId }: { appId: string },
): Promise<{ pace: { pushes: number; seconds: number } | null }> {
  const { pushes, seconds } = await sumLargeSends(db, appId)
  return { pace: pushes > 0 && seconds > 0 ? { pushes, seconds } : null }
}
