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

/** A user was erased: bodies of deliveries that name them go too (spec: webhooks/erasure). */
export const eraseUser = call<Record<string, never>>()('rpc.webhooks.erase-user', z.object({ appId: Id, userId: Id }))

/** A portion of the deliveries whose bodies name a user, with the events of theirs. `next` is the `after` of the next one; null: that was the last. */
export const exportDeliveries = call<{ deliveries: ExportedDelivery[]; next: number | null }>()(
  'rpc.webhooks.export-deliveries',
  z.object({ appId: Id, userId: Id, after: z.number().int().min(0) }),
)

/** The app was deleted: its rows go, a part with every call, until `done`. */
export const eraseWebhooksOfApp = call<{ done: boolean }>()('rpc.webhooks.erase-app', z.object({ appId: Id }), 10_000)

// Endpoints (spec: administration/webhooks). Bodies are as the gateway checked them, but for what an address resolves to: invalid_body at `url`.
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

/** Switches on again and forgets the failures. */
export const enableWebhook = call<Webhook>()('rpc.webhooks.enable-webhook', Endpoint)

/** A new secret, shown this once; the old one signs nothing from now on. */
export const rotateWebhookSecret = call<{ secret: string }>()('rpc.webhooks.rotate-secret', Endpoint)

/** Posts a signed `ping` and waits for the answer. `status` is null when none came, then `error` is the word for it. */
export const testWebhook = call<{ status: number | null; error: string | null }>()('rpc.webhooks.test-webhook', Endpoint, 13_000)

/** The delivery log, newest first, by state and by when the delivery was made: from this moment on, and before that. */
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

// Events as they happen, for people who watch (spec: webhooks/watched). Nothing of this is stored.

/** A watch is forgotten after so long, unless it is asked for again. */
export const watchSeconds = 30

/**
 * Somebody watches the events of an app: answered when tracker and audience announce all of them, and webhooks tells them (`eventsSeen`)
 * from here on, for 30 seconds. Fault: queue_unavailable when one of them is away.
 */
export const watchEvents = call<Record<string, never>>()('rpc.webhooks.watch-events', z.object({ appId: Id }))

/** Told by the process of webhooks that was asked to all of them: whichever takes events of the app over shows them. */
export const eventsWatched: Broadcast<{ appId: string }> = { subject: 'live.watched', body: z.object({ appId: Id }) }

/** Events that a process of webhooks shows of an app in a second, at most. */
export const mostShownPerSecond = 100
/** Told to every gateway: events of an app that somebody watches, as receivers get them, and how many were left out before them. */
export const eventsSeen: Broadcast<{ appId: string; events: WebhookEvent[]; dropped: number }> = {
  subject: 'live.events',
  body: z.object({
    appId: Id,
    events: z.array(z.custom<WebhookEvent>((value) => typeof value === 'object' && value !== null)).max(mostShownPerSecond),
    dropped: z.number().int().min(0),
  }),
}
