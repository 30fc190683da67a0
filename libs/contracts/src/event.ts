import { z } from 'zod'
import { platforms } from './platform.ts'
import { Id } from './text.ts'

/** The types of events that a webhook endpoint can ask for (spec: webhooks/event-types). */
export const eventTypes = [
  'notification.sent',
  'notification.delivered',
  'notification.opened',
  'notification.clicked',
  'notification.dismissed',
  'notification.converted',
  'notification.failed',
  'notification.skipped',
  'subscription.invalidated',
  'campaign.completed',
] as const
export type EventType = (typeof eventTypes)[number]

/**
 * One event as it travels between services: ids, codes, numbers and a campaign's name, never a token, endpoint, text or external id. Its public id is
 * computed from campaign, device and type (spec: webhooks/event-id).
 */
export const Event = z.object({
  type: z.enum(eventTypes),
  at: z.iso.datetime(),
  appId: Id,
  campaignId: Id,
  userId: Id.optional(),
  subscriptionId: Id.optional(),
  platform: z.enum(platforms).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
})
export type Event = z.infer<typeof Event>

/**
 * Up to 1,000 events of one transaction, for webhooks. The owner stores it in `announcements`, publishes it after the commit, repeats it from 5 s on,
 * and deletes it when confirmed (spec: webhooks/announced-until-confirmed).
 */
export const Announcement = z.object({
  announcementId: Id,
  /** The service that has the row and gets the confirmation. */
  owner: z.enum(['tracker', 'audience']),
  events: z.array(Event).min(1).max(1000),
})
export type Announcement = z.infer<typeof Announcement>

/**
 * The types of events that endpoints and watching operators of an app ask for. `*` stands for all types; an empty list means that nobody asks. Of two
 * versions the higher one is newer.
 */
export const Listener = z.object({
  appId: Id,
  version: z.number().int().min(1),
  eventTypes: z.array(z.enum(['*', ...eventTypes])).max(eventTypes.length + 1),
})
export type Listener = z.infer<typeof Listener>

/** What a device can report of a push (spec: tracking/report), by the letter in the path of the report. */
export const engagementKinds = { d: 'delivered', o: 'opened', c: 'clicked', x: 'dismissed' } as const
export type EngagementLetter = keyof typeof engagementKinds
/** The form of an action's id, which the sender gave and a device reports. */
export const actionForm = /^[A-Za-z0-9_.-]{1,64}$/
export type EngagementKind = (typeof engagementKinds)[EngagementLetter]
export const engagementLetters = { delivered: 'd', opened: 'o', clicked: 'c', dismissed: 'x' } as const satisfies {
  [Letter in EngagementLetter as (typeof engagementKinds)[Letter]]: Letter
}
