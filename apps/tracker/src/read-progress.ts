import type { Progress } from '@herald/contracts/calls/tracker'
import { statsOf } from './core/stats.ts'
import { findCounters } from './store/counters.ts'
import { findVariantCounters } from './store/variant-counters.ts'
import type { Db } from './store/tables.ts'

/** How far a send has come, in all and by platform; null when nothing was ever queued for it, or it is another app's. */
export async function readProgress(db: Db, { appId, campaignId }: { appId: string; campaignId: string }): Promise<Progress | null> {
  const [row] = await findCounters(db, appId, [campaignId])
  if (!row) return null
  return {
    stats: statsOf(row, await findVariantCounters(db, [campaignId])),
    byPlatform: {
      ios: { queued: row.queued_ios, settled: row.settled_ios },
      android: { queued: row.queued_android, settled: row.settled_android },
      web: { queued: row.queued_web, settled: row.settled_web },
    },
    fannedOut: row.fanned_out_at !== null,
    settled: row.settled_at !== null,
  }
}
