import { z } from 'zod'
import { call, type Broadcast } from '../call.ts'
import { ListRequest, type Listed } from '../page.ts'
import type { ExportedDelivery } from '../person.ts'
import {
  CreateWebhook,
  deliveryStates,
  PatchWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryWithBody,
  type WebhookEvent,
} from '../webhook.ts'
import { Id } from '../text.ts'

const Endpoint = z.object({ appId: Id, webhookId: Id })

/** Audience reports that a user was erased. Webhooks then deletes every body of a delivery that names the user (spec: webhooks/erasure). */
export const eraseUser = call<Record<string, never>>()('rpc.webhooks.erase-user', z.object({ appId: Id, userId: Id }))

/**
 * Reads the next part of the deliveries whose bodies name a user, each with the events that name the user. `next` is the `after` of the part that
 * follows; null after the last part.
 */
export const exportDeliveries = call<{ deliveries: ExportedDelivery[]; next: number | null }>()(
  'rpc.webhooks.export-deliveries',
  z.object({ appId: Id, userId: Id, after: z.number().int().min(0) }),
)

/** Deletes a part of the rows of a deleted app. The gateway repeats the call until the answer is `done`. */
export const eraseWebhooksOfApp = call<{ done: boolean }>()('rpc.webhooks.erase-app', z.object({ appId: Id }), 10_000)

// Endpoints (spec: administration/webhooks). The gateway has checked the bodies; webhooks checks what the name in an address resolves to, and answers
// invalid_body at `url`. Unknown and foreign ids: not_found. Saving may wait 2 s for a name server.

/** Makes an endpoint. Faults: limit_reached above 50 endpoints of an app; queue_unavailable when tracker or audience does not answer. */
export const createWebhook = call<Webhook & { secret: string }>()(
  'rpc.webhooks.create-webhook',
  z.object({ appId: Id, webhook: CreateWebhook }),
  6000,
)
export const listWebhooks = call<Listed<Webhook>>()('rpc.webhooks.list-webhooks', ListRequest.omit({ q: true }).extend({ appId: Id }))
export const readWebhook = call<Webhook>()('rpc.webhooks.read-webhook', Endpoint)
export const changeWebhook = call<Webhook>()('rpc.webhooks.change-webhook', Endpoint.extend({ changes: PatchWebhook }), 6000)
export const deleteWebhook = call<Record<string, never>>()('rpc.webhooks.delete-webhook', Endpoint)

/** Switches an endpoint on again and resets its count of failures. */
export const enableWebhook = call<Webhook>()('rpc.webhooks.enable-webhook', Endpoint)

/** Makes a new secret and answers it; no later answer shows it. Deliveries that a process of webhooks takes from then on are signed with it. */
export const rotateWebhookSecret = call<{ secret: string }>()('rpc.webhooks.rotate-secret', Endpoint)

/**
 * Posts a signed `ping` and waits for the response. When no response came, `status` is null and `error` says why in one word. Fault: rate_limited.
 */
export const testWebhook = call<{ status: number | null; error: string | null }>()('rpc.webhooks.test-webhook', Endpoint, 13_000)

/**
 * Lists an endpoint's deliveries, newest first. They can be filtered by state and by the time when they were made: at `from` or later, and before
 * `to`.
 */
export const listDeliveries = call<Listed<WebhookDelivery>>()(
  'rpc.webhooks.list-deliveries',
  ListRequest.omit({ q: true }).extend({
    ...Endpoint.shape,
    state: z.enum(deliveryStates).optional(),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
  }),
)
/** Reads one delivery, with its body as long as the body is stored. Fault: not_found. */
export const readDelivery = call<WebhookDeliveryWithBody>()(
  'rpc.webhooks.read-delivery',
  Endpoint.extend({ deliveryId: z.string().max(40) }),
)

/**
 * Sends a delivery's bytes again. Fault: invalid_state while the delivery is pending, when its body is no longer stored, and when the endpoint is
 * switched off.
 */
export const replayDelivery = call<WebhookDelivery>()('rpc.webhooks.replay-delivery', Endpoint.extend({ deliveryId: z.string().max(40) }))

// Events as they happen, for operators who watch an app (spec: webhooks/watched). What is sent to the gateways for them is not stored.

/** A watch ends after this many seconds unless the gateway asks for it again. */
export const watchSeconds = 30

/**
 * Asks for an app's events for `watchSeconds`, because an operator watches. Answered when tracker and audience announce them all; the gateway then
 * gets them by `eventsSeen`. Fault: queue_unavailable when one does not answer.
 */
export const watchEvents = call<Record<string, never>>()('rpc.webhooks.watch-events', z.object({ appId: Id }))

/**
 * The webhooks process that got the call tells all webhooks processes that the app is watched: whichever process takes in events of the app sends
 * them to the gateways.
 */
export const eventsWatched: Broadcast<{ appId: string }> = { subject: 'live.watched', body: z.object({ appId: Id }) }

/** A webhooks process sends the gateways at most this many events of an app in a second. */
export const mostShownPerSecond = 100
/**
 * Tells every gateway of a watched app's events, in the receivers' form. `dropped`: how many more were left out since the process's last broadcast
 * for it. Events come from checked announcements, so only their being objects is checked.
 */
export const eventsSeen: Broadcast<{ appId: string; events: WebhookEvent[]; dropped: number }> = {
  subject: 'live.events',
  body: z.object({
    appId: Id,
    events: z.array(z.custom<WebhookEvent>((value) => typeof value === 'object' && value !== null)).max(mostShownPerSecond),
    dropped: z.number().int().min(0),
  }),
}
