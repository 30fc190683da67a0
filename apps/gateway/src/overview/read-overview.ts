import { providerOf } from '@herald/contracts/app'
import { countDevices, readCircuits } from '@herald/contracts/calls/audience'
import { summarizeCampaigns } from '@herald/contracts/calls/campaigns'
import { readRecent } from '@herald/contracts/calls/tracker'
import { listWebhooks } from '@herald/contracts/calls/webhooks'
import { platforms } from '@herald/contracts/platform'
import { campaignStatuses } from '@herald/contracts/stats'
import { attentionOf } from './core/attention.ts'
import type { Gateway } from '../gateway.ts'
import { findProviderKinds } from '../apps/store/providers.ts'

/** An app has at most this many webhook endpoints. */
const mostWebhooks = 50

/**
 * Reads the overview of an app (spec: administration/overview). The other services are asked all at the same time, and none of them reads the ledger.
 * Faults: rate_limited, queue_unavailable, database_unavailable.
 */
export async function readOverview({ bus, reads }: Pick<Gateway, 'bus' | 'reads'>, appId: string) {
  const [devices, { circuits, slowed }, recent, campaigns, { items: webhooks }, configured] = await Promise.all([
    bus.call(countDevices, { appId }),
    bus.call(readCircuits, { appId }),
    bus.call(readRecent, { appId }),
    bus.call(summarizeCampaigns, { appId }),
    bus.call(listWebhooks, { appId, limit: mostWebhooks }),
    reads((db) => findProviderKinds(db, appId), { appId }),
  ])
  const { asOf, last24h, previous24h, days } = recent
  return {
    asOf,
    devicesAsOf: devices.asOf,
    devices: devices.devices,
    last24h,
    previous24h,
    days,
    campaigns: Object.fromEntries(campaignStatuses.map((status) => [status, campaigns.byStatus[status] ?? 0])),
    nextSends: campaigns.next,
    circuits,
    providers: platforms.map((platform) => {
      return { kind: providerOf[platform], platform, configured: configured.has(providerOf[platform]) }
    }),
    attention: attentionOf(appId, { circuits, slowed, configured, devices: devices.devices, recent, campaigns, webhooks }),
  }
}
