import type { CampaignStatus } from '@herald/contracts/stats'

/** The icon and the colour of each status of a campaign. */
export const statusKinds = {
  draft: 'off',
  scheduled: 'off',
  sending: 'busy',
  active: 'good',
  paused: 'warning',
  sent: 'good',
  cancelled: 'off',
  failed: 'bad',
} as const satisfies Record<CampaignStatus, string>

export const statusWords: Readonly<Record<CampaignStatus, string>> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  sending: 'Sending',
  active: 'Active',
  paused: 'Paused',
  sent: 'Sent',
  cancelled: 'Cancelled',
  failed: 'Failed',
}
