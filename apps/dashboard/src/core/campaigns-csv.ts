import type { components } from '../api/schema.gen.ts'

type Campaign = components['schemas']['CampaignWithStats']

export const campaignsHead = [
  'ID',
  'Name',
  'Status',
  'Created by',
  'Created at',
  'Started at',
  'Completed at',
  'Recipients',
  'Sent',
  'Failed',
  'Skipped',
  'Confirmed deliveries',
  'Opened',
  'Clicked',
]

/** Gives a campaign as a row of the CSV. */
export const campaignRow = ({ id, name, status, author, createdAt, startedAt, settledAt, stats }: Campaign): string[] => [
  id,
  name,
  status,
  author ?? '',
  createdAt,
  startedAt ?? '',
  settledAt ?? '',
  ...[stats.queued, stats.sent, stats.failed, stats.skipped, stats.delivered, stats.opened, stats.clicked].map(String),
]

/** Puts campaigns in order by a counter, the highest first: opened and clicked by their share of sent. Equal ones stay in their order. */
export function inOrderOf<One extends Pick<Campaign, 'stats'>>(
  campaigns: readonly One[],
  sort: 'sent' | 'failed' | 'opened' | 'clicked' | undefined,
): readonly One[] {
  if (sort === undefined) return campaigns
  const measure = ({ stats }: One) =>
    sort === 'sent' || sort === 'failed' ? stats[sort] : stats.sent === 0 ? -1 : stats[sort] / stats.sent
  return campaigns.toSorted((one, other) => measure(other) - measure(one))
}

/** Adds up the counters of the campaigns of a page. */
export function totalsOf(campaigns: readonly Pick<Campaign, 'stats'>[]) {
  const sum = (key: 'queued' | 'sent' | 'failed' | 'opened' | 'clicked') => campaigns.reduce((total, { stats }) => total + stats[key], 0)
  return { queued: sum('queued'), sent: sum('sent'), failed: sum('failed'), opened: sum('opened'), clicked: sum('clicked') }
}
