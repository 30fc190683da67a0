import { providerOf, type ProviderKind } from '@herald/contracts/app'
import type { Circuit, SlowedRate } from '@herald/contracts/calls/audience'
import { platforms } from '@herald/contracts/platform'
import type { CampaignsSummary, DeviceCounts, RecentCounts } from '@herald/contracts/series'
import type { Webhook } from '@herald/contracts/webhook'

/** The codes of what needs the operator's attention (spec: administration/overview-attention). */
export const attentionCodes = [
  'circuit_open',
  'quota_slowed',
  'provider_missing',
  'many_failures',
  'campaign_failed',
  'campaign_paused',
  'webhook_disabled',
  'webhook_failing',
] as const
/**
 * One thing that needs attention. `params` has the values for a sentence about it, and `href` names the operation of the administration that says
 * more.
 */
export type Attention = { code: (typeof attentionCodes)[number]; params: Record<string, string | number | null>; href: string }

/**
 * A platform has many failures when both hold for the last 24 hours (`last24h`): at least 20 of its pushes failed, and the failed pushes are at least
 * a tenth of those that were sent or failed.
 */
const [fewestFailures, failureShare] = [20, 0.1]
/** A webhook endpoint is failing when at least this many deliveries to it failed one after another and none has succeeded since. */
const fewestFailedDeliveries = 5

export function attentionOf(
  appId: string,
  {
    circuits,
    slowed,
    configured,
    devices,
    recent,
    campaigns,
    webhooks,
  }: {
    circuits: Circuit[]
    slowed: SlowedRate[]
    configured: ReadonlySet<ProviderKind>
    devices: DeviceCounts['devices']
    recent: RecentCounts
    campaigns: CampaignsSummary
    webhooks: Pick<Webhook, 'id' | 'enabled' | 'disabledReason' | 'disabledAt' | 'consecutiveFailures'>[]
  },
): Attention[] {
  const at = (path: string) => `/v1/admin/apps/${appId}/${path}`
  const found: Attention[] = []
  for (const { platform, environment, state, code, since, heldCount } of circuits) {
    if (state !== 'open') continue
    const params = { platform, environment, reason: code, since, heldCount }
    found.push({ code: 'circuit_open', params, href: at(`providers/${providerOf[platform]}`) })
  }
  for (const { platform, perSecond, since } of slowed) {
    const params = { platform, perSecond: Math.max(1, Math.round(perSecond)), since }
    found.push({ code: 'quota_slowed', params, href: at(`providers/${providerOf[platform]}`) })
  }
  for (const platform of platforms) {
    const { reachable } = devices[platform]
    const provider = providerOf[platform]
    if (reachable > 0 && !configured.has(provider))
      found.push({ code: 'provider_missing', params: { platform, provider, reachable }, href: at(`providers/${provider}`) })
    const { sent, failed } = recent.byPlatform[platform]
    if (failed >= fewestFailures && failed >= failureShare * (sent + failed)) {
      const from = new Date(Date.parse(recent.asOf) - 23 * 3_600_000).toISOString()
      found.push({ code: 'many_failures', params: { platform, failed, sent }, href: at(`series?bucket=hour&by=code&from=${from}`) })
    }
  }
  for (const { campaignId, name, at: failedAt, code } of campaigns.failed)
    found.push({ code: 'campaign_failed', params: { campaignId, name, at: failedAt, reason: code }, href: at(`campaigns/${campaignId}`) })
  for (const { campaignId, name, since } of campaigns.paused)
    found.push({ code: 'campaign_paused', params: { campaignId, name, since }, href: at(`campaigns/${campaignId}`) })
  for (const { id: webhookId, enabled, disabledReason, disabledAt, consecutiveFailures } of webhooks) {
    if (disabledReason === 'consecutive_failures')
      found.push({ code: 'webhook_disabled', params: { webhookId, since: disabledAt }, href: at(`webhooks/${webhookId}`) })
    else if (enabled && consecutiveFailures >= fewestFailedDeliveries)
      found.push({ code: 'webhook_failing', params: { webhookId, consecutiveFailures }, href: at(`webhooks/${webhookId}`) })
  }
  return found
}
