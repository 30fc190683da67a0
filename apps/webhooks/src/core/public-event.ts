import { hash } from 'node:crypto'
import type { Event } from '@herald/contracts/event'
import type { WebhookEvent } from '@herald/contracts/webhook'

/**
 * Makes the id of an event: `evt_` and 24 hexadecimal characters of SHA-256 over campaign, device and type (spec: webhooks/event-id). The id follows
 * from what happened, so an announcement that comes twice never makes a second id.
 */
export const eventIdOf = ({ campaignId, subscriptionId = '', type }: Pick<Event, 'campaignId' | 'subscriptionId' | 'type'>): string =>
  `evt_${hash('sha256', `${campaignId}|${subscriptionId}|${type}`).slice(0, 24)}`

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
