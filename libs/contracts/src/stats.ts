/** A campaign's counters (api.md, Campaign). `dismissed` is added by decisions.md 7. */
export type Stats = {
  queued: number
  sent: number
  failed: number
  skipped: number
  delivered: number
  opened: number
  clicked: number
  dismissed: number
  /** By variant id, for experiments only. */
  variants?: Record<string, Omit<Stats, 'queued' | 'variants'>>
}

export const noStats: Stats = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0 }

/** Every status a campaign can have (decisions.md 5). */
export const campaignStatuses = ['draft', 'scheduled', 'sending', 'active', 'sent', 'cancelled', 'failed', 'paused'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]
