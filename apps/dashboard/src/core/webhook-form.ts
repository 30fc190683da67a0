import { bareHost, destinationFormProblem, isLocalName } from '@herald/contracts/destination-form'
import type { EventType } from '@herald/contracts/event'

/** The words with which the form of an endpoint explains each type of event. A type without words does not compile. */
export const eventWords: Readonly<Record<EventType, string>> = {
  'notification.sent': 'A push was accepted by the provider',
  'notification.delivered': 'A device reports that it has shown a push',
  'notification.opened': 'A person tapped a push',
  'notification.clicked': 'A person followed the link of a push, or pressed an action',
  'notification.dismissed': 'A user dismissed a push',
  'notification.converted': 'A conversion, such as an order, is attributed to a push',
  'notification.failed': 'A push could not be sent, with its code',
  'notification.skipped': 'A push was skipped, with the reason',
  'subscription.invalidated': 'The token of a device became invalid',
  'campaign.completed': 'Every push of a campaign is queued',
}

export const eventTypes = Object.keys(eventWords) as EventType[]
export type EventChoice = '*' | EventType

/** Checks the URL of an endpoint with Herald's own rule. Gives what is wrong, or undefined. */
export function problemOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  return typed === '' ? undefined : destinationFormProblem(typed)
}

/** Warns of an address of this machine or of a private network. Only Herald knows whether such an address is allowed, as in development. */
export function noteOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  if (typed === '' || problemOfWebhookUrl(typed) !== undefined) return undefined
  const host = bareHost(new URL(typed))
  const isNear = isLocalName(host) || /^(127|10)\.|^192\.168\.|^\[?::1\]?$/.test(host)
  return isNear
    ? 'This is an address of this machine or of a private network. Herald goes there only in development, with WEBHOOK_ALLOW_PRIVATE.'
    : undefined
}
