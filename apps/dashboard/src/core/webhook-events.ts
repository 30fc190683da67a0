import type { EventType } from '@herald/contracts/event'

/** What each type of event means, in the form of an endpoint. A type without words does not compile. */
export const eventWords: Readonly<Record<EventType, string>> = {
  'notification.sent': 'A provider took a push',
  'notification.delivered': 'A device reports that it has shown a push',
  'notification.opened': 'A person tapped a push',
  'notification.clicked': 'A person followed the link of a push, or pressed an action',
  'notification.dismissed': 'A person swiped a push away',
  'notification.failed': 'A push could not be sent, with its code',
  'notification.skipped': 'A push was not to be sent, with the reason',
  'subscription.invalidated': 'A provider says that the token of a device is dead',
  'campaign.completed': 'Every push of a campaign is queued',
}

export const eventTypes = Object.keys(eventWords) as EventType[]
export type EventChoice = '*' | EventType
