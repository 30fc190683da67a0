import type { WebhookDeliveryWithBody } from '@herald/contracts/webhook'
import { bodyOf } from './core/batch.ts'
import { findEventsOf, getDelivery } from './store/deliveries.ts'
import { getEndpoint } from './store/endpoints.ts'
import type { Webhooks } from './webhooks.ts'

/** One delivery with its attempts and, while it is kept, what it posts: the text that its signatures are made over. Fault: not_found. */
export async function readDelivery(
  { db }: Pick<Webhooks, 'db'>,
  { appId, webhookId, deliveryId }: { appId: string; webhookId: string; deliveryId: string },
): Promise<WebhookDeliveryWithBody> {
  await getEndpoint(db, { appId, webhookId })
  const delivery = await getDelivery(db, { webhookId, deliveryId })
  const events = await findEventsOf(db, { webhookId, deliveryId })
  return { ...delivery, body: events ? bodyOf(deliveryId, events).toString() : null }
}
