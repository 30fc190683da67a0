import { z } from 'zod'
import { eventTypes, type EventType } from './event.ts'
import { text } from './text.ts'

/** What an endpoint can ask for: types of events, or `*` for all types, including types that a later version of Herald adds. */
export const eventTypeNames = ['*', ...eventTypes] as const

const EventTypes = z
  .array(z.enum(eventTypeNames))
  .min(1)
  .max(eventTypeNames.length)
  .refine((types) => new Set(types).size === types.length, 'must not name a type twice')

/** An endpoint's URL. Webhooks checks whether Herald may connect to it (spec: webhooks/url-at-save). */
const Url = text(1, 2048).refine((value) => URL.canParse(value), 'must be an https URL')
const Description = text(0, 500).nullable()

/** POST /v1/admin/apps/:appId/webhooks */
export const CreateWebhook = z.strictObject({
  url: Url,
  eventTypes: EventTypes.default(['*']),
  description: Description.default(null),
})
export type CreateWebhook = z.output<typeof CreateWebhook>

/**
 * PATCH …/webhooks/:id: a field that the body leaves out keeps its value. `enabled: false` switches the endpoint off; `true` does the same as POST
 * …/enable.
 */
export const PatchWebhook = z
  .strictObject({
    url: Url.optional(),
    eventTypes: EventTypes.optional(),
    description: Description.optional(),
    enabled: z.boolean().optional(),
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    'must hold at least one of url, eventTypes, description, enabled',
  )
export type PatchWebhook = z.output<typeof PatchWebhook>

/** An endpoint as the administration answers it (spec: webhooks/endpoint-fields), without its secret. */
export type Webhook = {
  id: string
  appId: string
  url: string
  description: string | null
  eventTypes: string[]
  enabled: boolean
  disabledReason: 'consecutive_failures' | 'manual' | null
  disabledAt: string | null
  consecutiveFailures: number
  /** The last 4 characters of the secret. */
  secretHint: string
  lastDeliveryAt: string | null
  /** The HTTP status of the last attempt; null before the first attempt, and when the last attempt had no answer. */
  lastStatus: number | null
  lastError: string | null
  /** How many events wait to be put into a delivery. */
  waitingEvents: number
  /** How many events were dropped, because 100,000 newer events waited for the endpoint, or because too many bytes were stored for it. */
  droppedEvents: number
  /** How many bytes are stored for the endpoint: its waiting events and the bodies of its deliveries. */
  storedBytes: number
  createdAt: string
  updatedAt: string
}

/**
 * One POST of a delivery. `status` is null when no response came. `error` then says why, as `timeout`, `network_error` or `blocked_address`; it never
 * contains an address.
 */
export type WebhookAttempt = { at: string; status: number | null; error: string | null; latencyMs: number }

export const deliveryStates = ['pending', 'delivered', 'failed', 'erased'] as const

/**
 * One delivery in the log. `pending`: sent now or at `nextAttemptAt`. `failed`: attempts used up, final response, or body deleted for its age.
 * `erased`: a user in it was erased; its events go in another delivery without the external id.
 */
export type WebhookDelivery = {
  id: string
  state: (typeof deliveryStates)[number]
  eventCount: number
  attempts: WebhookAttempt[]
  nextAttemptAt: string | null
  /** Whether the delivery can be sent again: it has ended, and its body is still stored. */
  replayable: boolean
  createdAt: string
  endedAt: string | null
}

/** A delivery with the text of its body, byte for byte. The body is null when it is no longer stored. */
export type WebhookDeliveryWithBody = WebhookDelivery & { body: string | null }

/** An event as a receiver gets it (spec: webhooks/event-fields). */
export type WebhookEvent = {
  /** `evt_` and 24 hexadecimal characters. All deliveries of this event have the same id. */
  id: string
  type: EventType | 'ping'
  /** ISO 8601 UTC with milliseconds. */
  ts: string
  appId: string
  campaignId?: string
  userId?: string
  subscriptionId?: string
  platform?: string
  externalId?: string
  data?: Record<string, unknown>
}
