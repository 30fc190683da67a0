import type { ConversionCounts } from './conversion.ts'

/** A campaign's counters (spec: tracking/stats). */
export type Stats = {
  queued: number
  sent: number
  failed: number
  skipped: number
  delivered: number
  opened: number
  clicked: number
  dismissed: number
  /** The conversions that are attributed to the campaign, by name. Left out while there is none. */
  conversions?: ConversionCounts
  /** The counters of each variant, by its id. Only experiments have them. */
  variants?: Record<string, Omit<Stats, 'queued' | 'variants'>>
}

export const noStats: Stats = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0 }

/** Every status a campaign can have (spec: campaigns/statuses). */
export const campaignStatuses = ['draft', 'scheduled', 'sending', 'active', 'sent', 'cancelled', 'failed', 'paused'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]
