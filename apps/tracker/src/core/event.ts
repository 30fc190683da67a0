import type { Engagement, ToldConversion } from '@herald/contracts/calls/tracker'
import type { Event } from '@herald/contracts/event'
import type { End } from '@herald/contracts/outcome'
import { sumOf, type Platform } from '@herald/contracts/platform'
import type { Cause } from './attribution.ts'

/** Makes the event of a push that has an outcome: how it ended and, unless it was sent, why. */
export function outcomeEvent(
  push: { appId: string; campaignId: string; platform: Platform; test?: true | undefined },
  outcome: End & { subscriptionId: string; userId: string },
  at: string,
): Event {
  const { subscriptionId, userId } = outcome
  const event = { at, appId: push.appId, campaignId: push.campaignId, userId, subscriptionId, platform: push.platform }
  const test = push.test && { test: true }
  if (outcome.outcome === 'sent') return { type: 'notification.sent', ...event, ...(test && { data: test }) }
  if (outcome.outcome === 'skipped') return { type: 'notification.skipped', ...event, data: { reason: outcome.code, ...test } }
  const providerCode = outcome.providerCode === '' ? null : outcome.providerCode
  return { type: 'notification.failed', ...event, data: { code: outcome.code, providerCode, attempts: outcome.attempts, ...test } }
}

/** Makes the event of what a device reported, with the action if the report names one. `test` says that the push belongs to a test. */
export const engagementEvent = (
  { kind, appId, campaignId, userId, subscriptionId, platform, action }: Engagement,
  at: string,
  { test }: { test: boolean } = { test: false },
): Event => ({
  type: `notification.${kind}`,
  at,
  appId,
  campaignId,
  userId,
  subscriptionId,
  platform,
  ...((test || action !== undefined) && { data: { ...(action !== undefined && { action }), ...(test && { test }) } }),
})

/** Makes the event of a conversion that is attributed to a push. It happened when the report says, which may be before the report came. */
export const conversionEvent = (
  appId: string,
  { id, name, at, value, currency, userId }: ToldConversion,
  { push: { campaignId, subscriptionId, platform }, how }: Cause,
): Event => ({
  type: 'notification.converted',
  ...{ at, appId, campaignId, userId, subscriptionId, platform },
  data: { name, value, currency, eventId: id, how },
})

/** Makes the event that every push of a campaign is queued. The event names no user, device or platform (spec: webhooks/event-completed). */
export const completedEvent = (
  campaign: {
    appId: string
    campaignId: string
    name: string
    transactional: boolean
    byPlatform: Record<Platform, number>
    test?: boolean
  },
  at: string,
): Event => {
  const { appId, campaignId, name, transactional, byPlatform, test } = campaign
  const queued = sumOf(byPlatform)
  return { type: 'campaign.completed', at, appId, campaignId, data: { queued, byPlatform, name, transactional, ...(test && { test }) } }
}
