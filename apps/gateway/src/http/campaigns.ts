import { readCampaign } from '@herald/contracts/calls/campaigns'
import { readStats } from '@herald/contracts/calls/tracker'
import { notFound } from '@herald/contracts/fault'
import { campaignStatuses, noStats } from '@herald/contracts/stats'
import { z } from 'zod'
import { ratesOf } from '../core/rates.ts'
import { Count, Id } from './answers.ts'
import { route } from './route.ts'

const counted = { sent: Count, failed: Count, skipped: Count, delivered: Count, opened: Count, clicked: Count, dismissed: Count }
const Stats = z.object({ queued: Count, ...counted, variants: z.record(z.string(), z.object(counted)).optional() })
const Rate = z.number().min(0).nullable()

export const campaigns = [
  route({
    name: 'readCampaignStats',
    method: 'get',
    path: '/v1/campaigns/:id/stats',
    key: 'secret',
    scope: 'campaigns:read',
    status: 200,
    summary: 'Read the counters of a campaign',
    description:
      'Counters go on changing after the campaign is sent, because devices report later. A rate is null while there is nothing to divide by.',
    answers: z.object({
      id: Id,
      status: z.enum(campaignStatuses),
      stats: Stats,
      rates: z.object({ delivery: Rate, open: Rate, click: Rate }),
    }),
    async answer({ bus }, { appId, params }) {
      const [campaign, counters] = await Promise.all([
        bus.call(readCampaign, { appId, campaignId: params.id }),
        bus.call(readStats, { appId, campaignId: params.id }),
      ])
      if (!campaign) throw notFound()
      const stats = counters?.stats ?? noStats
      return { id: campaign.id, status: campaign.status, stats, rates: ratesOf(stats) }
    },
  }),
]
