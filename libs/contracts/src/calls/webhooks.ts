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

const Id = z.string().length(24)
const Endpoint = z.object({ appId: Id, webhookId: Id })

/** A user was erased: the bodies of deliveries that name the user are erased too (spec: webhooks/erasure). */
export const eraseUser = call<Record<string, never>>()('rpc.webhooks.erase-user', z.object({ appId: Id, userId: Id }))

/** A portion of the deliveries whose bodies name a user, with the events that do. `next` is the `after` of the next portion; null after the last one. */
export const exportDeliveries = call<{ deliveries: ExportedDelivery[]; next: number | null }>()(
  'rpc.webhooks.export-deliveries',
  z.object({ appId: Id, userId: Id, after: z.number().int().min(0) }),
)

/** The app was deleted: each call deletes a part of its rows, until `done`. */
export const eraseWebhooksOfApp = call<{ done: boolean }>()('rpc.webhooks.erase-app', z.object({ appId: Id }), 10_000)

// Endpoints (spec: administration/webhooks). The gateway has checked the bodies, except what the name in an address resolves to: invalid_body at `url`.
// Unknown and foreign ids: not_found. Saving may wait 2 s for a name server.

/** Fault: limit_reached above 50 endpoints of an app. */
export const createWebhook = call<Webhook & { secret: string }>()(
  'rpc.webhooks.create-webhook',
  z.object({ appId: Id, webhook: CreateWebhook }),
  6000,
)
export const listWebhooks = call<Listed<Webhook>>()('rpc.webhooks.list-webhooks', ListRequest.omit({ q: true }).extend({ appId: Id }))
export const readWebhook = call<Webhook>()('rpc.webhooks.read-webhook', Endpoint)
export const changeWebhook = call<Webhook>()('rpc.webhooks.change-webhook', Endpoint.extend({ changes: PatchWebhook }), 6000)
export const deleteWebhook = call<Record<string, never>>()('rpc.webhooks.delete-webhook', Endpoint)

/** Switches an endpoint on again and forgets its failures. */
export const enableWebhook = call<Webhook>()('rpc.webhooks.enable-webhook', Endpoint)

/** Makes a new secret, which only this answer shows. From now on the old one signs nothing. */
export const rotateWebhookSecret = call<{ secret: string }>()('rpc.webhooks.rotate-secret', Endpoint)

/** Posts a signed `ping` and waits for the response. When none came, `status` is null and `error` says why in a word. */
export const testWebhook = call<{ status: number | null; error: string | null }>()('rpc.webhooks.test-webhook', Endpoint, 13_000)

/** The delivery log, newest first. It can be filtered by state and by when a delivery was made: not before `from`, and before `to`. */
export const listDeliveries = call<Listed<WebhookDelivery>>()(
  'rpc.webhooks.list-deliveries',
  ListRequest.omit({ q: true }).extend({
    ...Endpoint.shape,
    state: z.enum(deliveryStates).optional(),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
  }),
)
/** One delivery with its body while that is kept. Fault: not_found. */
export const readDelivery = call<WebhookDeliveryWithBody>()(
  'rpc.webhooks.read-delivery',
  Endpoint.extend({ deliveryId: z.string().max(40) }),
)

/** Sends the same bytes again. Fault: invalid_state while it is being delivered, or when its body is no longer kept. */
export const replayDelivery = call<WebhookDelivery>()('rpc.webhooks.replay-delivery', Endpoint.extend({ deliveryId: z.string().max(40) }))

// Events as they happen, for operators who watch an app (spec: webhooks/watched). They are not stored.

/** A watch ends after so long, unless it is asked for again. */
export const watchSeconds = 30

/**
 * An operator watches the events of an app. Answered when tracker and audience announce all its events; from then on webhooks tells the gateways of them (`eventsSeen`)
 * for 30 seconds. Fault: queue_unavailable when tracker or audience is away.
 */
export const watchEvents = call<Record<string, never>>()('rpc.webhooks.watch-events', z.object({ appId: Id }))

/** Sent by the process of webhooks that got the call to all processes of webhooks: whichever of them takes over events of the app shows them. */
export const eventsWatched: Broadcast<{ appId: string }> = { subject: 'live.watched', body: z.object({ appId: Id }) }

/** The most events of an app that a process of webhooks shows in a second. */
export const mostShownPerSecond = 100
/**
 * Told to every gateway: events of an app that an operator watches, as receivers get them, and how many were left out before them. An event is only checked to be an
 * object: webhooks has made it from an announcement that was checked, and the gateway passes it on unread.
 */
export const eventsSeen: Broadcast<{ appId: string; events: WebhookEvent[]; dropped: number }> = {
  subject: 'live.events',
  body: z.object({
    appId: Id,
    events: z.array(z.custom<WebhookEvent>((value) => typeof value === 'object' && value !== null)).max(mostShownPerSecond),
    dropped: z.number().int().min(0),
  }),
}
