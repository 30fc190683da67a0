import { Id } from '@herald/contracts/text'
import {
  deliveryStates,
  eventTypeNames,
  type Webhook as WebhookRead,
  type WebhookDelivery as DeliveryRead,
} from '@herald/contracts/webhook'
import { z } from 'zod'
import { Count, describes, listOf, Time } from '../../http/answers.ts'

/* The schemas of what the administration answers about webhook endpoints and deliveries. */

export const Webhook = describes<WebhookRead>()(
  z.object({
    id: Id,
    appId: Id,
    url: z.string(),
    description: z.string().nullable(),
    eventTypes: z.array(z.string()).meta({ description: `Of ${eventTypeNames.join(', ')}.` }),
    enabled: z.boolean(),
    disabledReason: z.enum(['consecutive_failures', 'manual']).nullable(),
    disabledAt: Time.nullable(),
    consecutiveFailures: Count,
    secretHint: z.string().meta({ description: 'The last 4 characters of the secret.' }),
    lastDeliveryAt: Time.nullable(),
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    waitingEvents: Count,
    droppedEvents: Count,
    storedBytes: Count,
    createdAt: Time,
    updatedAt: Time,
  }),
)
export const WebhookList = listOf(Webhook)
const shownOnce = z.string().meta({ description: 'The secret that signs deliveries, shown this once.' })
export const MadeWebhook = Webhook.extend({ secret: shownOnce })
export const WebhookSecret = z.object({ secret: shownOnce })
export const WebhookTested = z.object({
  status: z.int().nullable().meta({ description: 'Null when there was no answer.' }),
  error: z.string().nullable(),
})
export const WebhookDelivery = describes<DeliveryRead>()(
  z.object({
    id: z.string().meta({ description: 'dlv_ and 24 hexadecimal characters.' }),
    state: z.enum(deliveryStates),
    eventCount: Count,
    attempts: z.array(z.object({ at: Time, status: z.int().nullable(), error: z.string().nullable(), latencyMs: z.number().min(0) })),
    nextAttemptAt: Time.nullable(),
    replayable: z.boolean(),
    createdAt: Time,
    endedAt: Time.nullable(),
  }),
)
export const WebhookDeliveryList = listOf(WebhookDelivery)
export const DeliveryWithBody = WebhookDelivery.extend({
  body: z
    .string()
    .nullable()
    .meta({ description: 'The text that is posted, byte for byte: a JSON of id and events. Null when it is no longer kept.' }),
})
