import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'

/** How far counters move. */
export type Tally = Partial<Record<OutcomeKind | EngagementKind, number>>

export type Counted = { campaignId: string; variant: string; kind: OutcomeKind | EngagementKind }
export type VariantTally = { campaignId: string; variant: string; tally: Tally }

/** Adds up what was new, by campaign, and by variant for what has one. */
export function tally(counted: Counted[]): { byCampaign: Map<string, Tally>; byVariant: VariantTally[] } {
  const byCampaign = new Map<string, Tally>()
  const byVariant = new Map<string, VariantTally>()
  for (const { campaignId, variant, kind } of counted) {
    let campaign = byCampaign.get(campaignId)
    if (!campaign) byCampaign.set(campaignId, (campaign = {}))
    campaign[kind] = (campaign[kind] ?? 0) + 1
    if (variant === '') continue
    const key = `${campaignId} ${variant}`
    let ofVariant = byVariant.get(key)
    if (!ofVariant) byVariant.set(key, (ofVariant = { campaignId, variant, tally: {} }))
    ofVariant.tally[kind] = (ofVariant.tally[kind] ?? 0) + 1
  }
  return { byCampaign, byVariant: [...byVariant.values()] }
}
