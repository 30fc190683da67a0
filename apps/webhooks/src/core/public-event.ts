import { hash } from 'node:crypto'
import type { Event } from '@herald/contracts/event'
import type { WebhookEvent } from '@herald/contracts/webhook'

type Identified = Pick<Event, 'campaignId' | 'subscriptionId' | 'type'> & Partial<Pick<Event, 'appId' | 'data'>>

/**
 * Makes the id of an event: `evt_` and 24 hex characters of SHA-256 over campaign, device and type, of a conversion over app and reported id
 * (spec: webhooks/event-id). An announcement that comes twice never makes a second id.
 */
export const eventIdOf = ({ appId, campaignId, subscriptionId = '', type, data }: Identified): string => {
  const what =
    type === 'notification.converted' ? `${appId}|${String(data?.['eventId'])}|${type}` : `${campaignId}|${subscriptionId}|${type}`
  return `evt_${hash('sha256', what).slice(0, 24)}`
}

/**
 * Makes the event that receivers get, without external id. `campaign.completed` names no user, device or platform (spec: webhooks/event-completed).
 */
export function publicEvent(event: Event): WebhookEvent {
  const { type, appId, campaignId, userId, subscriptionId, platform, data } = event
  const shown = { id: eventIdOf(event), type, ts: new Date(event.at).toISOString(), appId, campaignId }
  const ofDevice = type === 'campaign.completed' ? {} : definedOf({ userId, subscriptionId, platform })
  return { ...shown, ...ofDevice, ...definedOf({ data }) }
}

/** Says whether an endpoint with these event types asks for this type. */
export const isWanted = (eventTypes: readonly string[], type: string): boolean => eventTypes.includes('*') || eventTypes.includes(type)

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }
const definedOf = <T extends Record<string, unknown>>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
