import { z } from 'zod'
import { platforms } from './platform.ts'

/** Every type of event a webhook endpoint can ask for (spec: webhooks/event-types). */
export const eventTypes = [
  'notification.sent',
  'notification.delivered',
  'notification.opened',
  'notification.clicked',
  'notification.dismissed',
  'notification.failed',
  'notification.skipped',
  'subscription.invalidated',
  'campaign.completed',
] as const
export type EventType = (typeof eventTypes)[number]

const Id = z.string().length(24)

/**
 * One event as it travels between apps: ids and codes, never a token, an endpoint, content or an external id (webhooks
 * looks that up when it freezes a delivery). Its public id follows from campaign, subscription and type (spec: webhooks/event-id).
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
 * The events of one transaction, for webhooks. It is a row of `announcements` in the schema of the app that made it, and is published after the commit.
 * Webhooks confirms it once its effect is committed, and then the row is deleted; until then the sweep repeats it, first after 5 s (spec: webhooks/announced-until-confirmed).
 */
export const Announcement = z.object({
  announcementId: Id,
  /** The app that keeps the row and takes the confirmation. */
  owner: z.enum(['tracker', 'audience']),
  events: z.array(Event).min(1).max(1000),
})
export type Announcement = z.infer<typeof Announcement>

/** The types of events of an app to which some endpoint listens. `*` stands for all types; an empty list means that no endpoint listens. The higher version is newer. */
export const Listener = z.object({
  appId: Id,
  version: z.number().int().min(1),
  eventTypes: z.array(z.enum(['*', ...eventTypes])).max(eventTypes.length + 1),
})
export type Listener = z.infer<typeof Listener>

/** What a device can report of a push (spec: tracking/report), by the letter in the address. */
export const engagementKinds = { d: 'delivered', o: 'opened', c: 'clicked', x: 'dismissed' } as const
export type EngagementLetter = keyof typeof engagementKinds
/** The action of a push that a device reports, by the name that the sender gave it. */
export const actionForm = /^[A-Za-z0-9_.-]{1,64}$/
export type EngagementKind = (typeof engagementKinds)[EngagementLetter]
