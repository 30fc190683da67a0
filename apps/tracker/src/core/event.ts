import type { Engagement } from '@herald/contracts/calls/tracker'
import type { Event } from '@herald/contracts/event'
import type { End } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'

/** What a settled push tells webhooks: how it ended, and why it did not end well. */
export function outcomeEvent(
  push: { appId: string; campaignId: string; platform: Platform },
  outcome: End & { subscriptionId: string; userId: string },
  at: string,
): Event {
  const { subscriptionId, userId } = outcome
  const event = { at, appId: push.appId, campaignId: push.campaignId, userId, subscriptionId, platform: push.platform }
  if (outcome.outcome === 'sent') return { type: 'notification.sent', ...event }
  if (outcome.outcome === 'skipped') return { type: 'notification.skipped', ...event, data: { reason: outcome.code } }
  const providerCode = outcome.providerCode === '' ? null : outcome.providerCode
  return { type: 'notification.failed', ...event, data: { code: outcome.code, providerCode, attempts: outcome.attempts } }
}

/** What a device reported, as an event. */
export const engagementEvent = ({ kind, appId, campaignId, userId, subscriptionId, platform }: Engagement, at: string): Event => ({
  type: `notification.${kind}`,
  at,
  appId,
  campaignId,
  userId,
  subscriptionId,
  platform,
})

/** Every push of a campaign is queued: not of any user, device or platform (spec: webhooks/event-completed). */
export const completedEvent = (
  campaign: { appId: string; campaignId: string; name: string; transactional: boolean; byPlatform: Record<Platform, number> },
  at: string,
): Event => {
  const { appId, campaignId, name, transactional, byPlatform } = campaign
  const queued = byPlatform.ios + byPlatform.android + byPlatform.web
  return { type: 'campaign.completed', at, appId, campaignId, data: { queued, byPlatform, name, transactional } }
}
