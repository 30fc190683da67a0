import { z } from 'zod'
import { eventTypes, type EventType } from './event.ts'
import { text } from './text.ts'

/** What an endpoint can ask for: types of events, or `*` for all types, also for those that are added later. */
export const eventTypeNames = ['*', ...eventTypes] as const

const EventTypes = z
  .array(z.enum(eventTypeNames))
  .min(1)
  .max(eventTypeNames.length)
  .refine((types) => new Set(types).size === types.length, 'must not name a type twice')

/** Whether it may be connected to is checked by webhooks (spec: webhooks/url-at-save). */
const Url = text(1, 2048).refine((value) => URL.canParse(value), 'must be an https URL')
const Description = text(0, 500).nullable()

/** POST /v1/admin/apps/:appId/webhooks */
export const CreateWebhook = z.strictObject({
  url: Url,
  eventTypes: EventTypes.default(['*']),
  description: Description.default(null),
})
export type CreateWebhook = z.output<typeof CreateWebhook>

/** PATCH …/webhooks/:id: fields that are left out stay as they are. `enabled: false` switches the endpoint off, `true` is the same as /enable. */
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
  /** Null also when the last attempt had no answer. */
  lastStatus: number | null
  lastError: string | null
  /** Events that wait for a delivery. */
  waitingEvents: number
  /** Events that were dropped because 100,000 newer ones were waiting, or because the endpoint stored too many bytes. */
  droppedEvents: number
  /** Bytes of waiting events and of bodies that are kept. */
  storedBytes: number
  createdAt: string
  updatedAt: string
}

/** One POST. `error` is a word, never an address: `timeout`, `network_error`, `blocked_address`. */
export type WebhookAttempt = { at: string; status: number | null; error: string | null; latencyMs: number }

export const deliveryStates = ['pending', 'delivered', 'failed', 'erased'] as const

/**
 * One delivery as the log keeps it. `pending`: it is to be sent, or sent again at `nextAttemptAt`. `failed`: the attempts are used up or the
 * response was final. `erased`: its body named an erased user, and its other events were sent in another delivery.
 */
export type WebhookDelivery = {
  id: string
  state: (typeof deliveryStates)[number]
  eventCount: number
  attempts: WebhookAttempt[]
  nextAttemptAt: string | null
  /** Its body is still kept, so that it can be sent again. */
  replayable: boolean
  createdAt: string
  endedAt: string | null
}

/** A delivery with the text of its body, byte for byte. The body is null when it is no longer kept. */
export type WebhookDeliveryWithBody = WebhookDelivery & { body: string | null }

/** An event as a receiver gets it (spec: webhooks/event-fields). */
export type WebhookEvent = {
  /** `evt_` and 24 hexadecimal characters; the same whenever this event is delivered. */
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
