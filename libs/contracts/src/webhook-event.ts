import { z } from 'zod'
import { attributions } from './conversion.ts'
import type { EventType } from './event.ts'
import { failureCodes, skipReasons } from './outcome.ts'
import { perPlatform, platforms } from './platform.ts'
import { Id } from './text.ts'

/**
 * Events as a receiver of webhooks gets them (spec: webhooks/event-fields), by type. These schemas are for the OpenAPI document; Herald does not
 * check the events that it sends with them.
 */

const Time = z.string().meta({ format: 'date-time' })
const Count = z.int().min(0)

const about = {
  id: z.string().meta({ pattern: '^evt_[0-9a-f]{24}$', description: 'The same whenever this event is delivered.' }),
  ts: Time.meta({ description: 'When it happened.' }),
  appId: Id,
}
const ofDevice = {
  campaignId: Id,
  userId: Id,
  subscriptionId: Id,
  platform: z.enum(platforms),
  externalId: z.string().optional().meta({ description: 'There when the user has one.' }),
}
/** Marks an event of a test (spec: webhooks/event-test). */
const test = z.literal(true).optional().meta({ description: 'There when the send is a test.' })
const ofTest = { data: z.object({ test }).optional() }
/** The `data` of a device's report: the id of the action, when the user chose an action, and the mark of a test. */
const ofReport = {
  data: z
    .object({
      action: z.string().optional().meta({ description: 'The id of the action that was pressed, where the device says so.' }),
      test,
    })
    .optional(),
}
const event = <Type extends EventType, Fields extends z.ZodRawShape>(type: Type, description: string, fields: Fields) =>
  z.object({ type: z.literal(type), ...about, ...fields }).meta({ description })

export const NotificationSent = event('notification.sent', 'A provider took the push.', { ...ofDevice, ...ofTest })
export const NotificationDelivered = event('notification.delivered', 'The device reports it.', { ...ofDevice, ...ofReport })
export const NotificationOpened = event('notification.opened', 'The device reports it.', { ...ofDevice, ...ofReport })
export const NotificationClicked = event('notification.clicked', 'The device reports it.', { ...ofDevice, ...ofReport })
export const NotificationDismissed = event('notification.dismissed', 'The device reports it.', { ...ofDevice, ...ofReport })
export const NotificationConverted = event('notification.converted', 'A conversion is attributed to the push.', {
  ...ofDevice,
  data: z.object({
    name: z.string(),
    value: z.string().nullable().meta({ description: 'An exact decimal number.' }),
    currency: z.string().nullable(),
    eventId: z.string().meta({ description: 'The id with which the conversion was reported.' }),
    how: z.enum(attributions),
  }),
})
export const NotificationFailed = event('notification.failed', 'The push could not be sent.', {
  ...ofDevice,
  data: z.object({
    code: z.string().meta({ description: `One of ${failureCodes.join(', ')}.` }),
    providerCode: z.string().nullable().meta({ description: 'The provider’s own words.' }),
    attempts: Count.meta({ description: 'Tries at the provider.' }),
    test,
  }),
})
export const NotificationSkipped = event('notification.skipped', 'The push was not to be sent.', {
  ...ofDevice,
  data: z.object({ reason: z.string().meta({ description: `One of ${skipReasons.join(', ')}.` }), test }),
})
export const SubscriptionInvalidated = event('subscription.invalidated', 'A provider says that the device’s token is dead.', {
  ...ofDevice,
  data: z.object({ code: z.string().meta({ description: 'What the provider’s answer means, such as token_dead.' }), test }),
})
export const CampaignCompleted = event(
  'campaign.completed',
  'Every push of a campaign is queued, not necessarily sent. It is of no user and no device.',
  {
    campaignId: Id,
    data: z.object({
      queued: Count,
      byPlatform: z.object(perPlatform(() => Count)),
      name: z.string(),
      transactional: z.boolean(),
      test,
    }),
  },
)
export const Ping = z.object({ type: z.literal('ping'), ...about }).meta({ description: 'Somebody tested the endpoint.' })

export const webhookEvents = {
  'notification.sent': NotificationSent,
  'notification.delivered': NotificationDelivered,
  'notification.opened': NotificationOpened,
  'notification.clicked': NotificationClicked,
  'notification.dismissed': NotificationDismissed,
  'notification.converted': NotificationConverted,
  'notification.failed': NotificationFailed,
  'notification.skipped': NotificationSkipped,
  'subscription.invalidated': SubscriptionInvalidated,
  'campaign.completed': CampaignCompleted,
  ping: Ping,
} as const satisfies Record<EventType | 'ping', z.ZodType>
