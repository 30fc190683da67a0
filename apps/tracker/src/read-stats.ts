import type { Stats } from '@herald/contracts/stats'
import { findCounters } from './store/counters.ts'
import { findVariantCounters } from './store/variant-counters.ts'
import type { Db } from './store/tables.ts'

/** A campaign's counters as they are committed now; null when there are none for this app. `variants` only when there were some. */
export async function readStats(db: Db, { appId, campaignId }: { appId: string; campaignId: string }): Promise<{ stats: Stats } | null> {
  const counters = await findCounters(db, appId, campaignId)
  if (!counters) return null
  const { queued_ios, queued_android, queued_web, ...counts } = counters
  const stats: Stats = { queued: queued_ios + queued_android + queued_web, ...counts }
  const variants = await findVariantCounters(db, campaignId)
  if (variants.length > 0) stats.variants = Object.fromEntries(variants.map(({ variant, ...ofVariant }) => [variant, ofVariant]))
  return { stats }
}
