import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'

export type Tally = Partial<Record<OutcomeKind | EngagementKind, number>>
/** What is added to the counters of a campaign. `ended` counts, by platform, the pushes that got an outcome. */
export type CampaignTally = Tally & { ended?: Partial<Record<Platform, number>> }

/**
 * Pushes that got an outcome, or reports of devices, that are to be counted. `count` is 1 when it is left out. `endedOn` is the platform of pushes
 * that got an outcome; undefined for reports of devices.
 */
export type Counted = { campaignId: string; variant: string; kind: OutcomeKind | EngagementKind; count?: number; endedOn?: Platform }
export type VariantTally = { campaignId: string; variant: string; tally: Tally }

export type ActionTally = { campaignId: string; action: string; clicked: number }

/** Adds up the clicks that named an action, by campaign and action, in the order of their keys. */
export function tallyActions(reports: { campaignId: string; kind: EngagementKind; action?: string | undefined }[]): ActionTally[] {
  const clicks = reports.flatMap(({ campaignId, kind, action }) =>
    kind === 'clicked' && action !== undefined ? [{ campaignId, action }] : [],
  )
  return [...Map.groupBy(clicks, ({ campaignId, action }) => `${campaignId} ${action}`)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [of, ...others]]) => (of ? [{ ...of, clicked: others.length + 1 }] : []))
}

/** Adds up what is new by campaign, and by variant where there is one. */
export function tally(counted: Counted[]): { byCampaign: Map<string, CampaignTally>; byVariant: VariantTally[] } {
  const byCampaign = new Map<string, CampaignTally>()
  const byVariant = new Map<string, VariantTally>()
  for (const { campaignId, variant, kind, endedOn, count = 1 } of counted) {
    let campaign = byCampaign.get(campaignId)
    if (!campaign) byCampaign.set(campaignId, (campaign = {}))
    campaign[kind] = (campaign[kind] ?? 0) + count
    if (endedOn) campaign.ended = { ...campaign.ended, [endedOn]: (campaign.ended?.[endedOn] ?? 0) + count }
    if (variant === '') continue
    const key = `${campaignId} ${variant}`
    let ofVariant = byVariant.get(key)
    if (!ofVariant) byVariant.set(key, (ofVariant = { campaignId, variant, tally: {} }))
    ofVariant.tally[kind] = (ofVariant.tally[kind] ?? 0) + count
  }
  return { byCampaign, byVariant: [...byVariant.values()] }
}
