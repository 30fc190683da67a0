import { fault } from '@herald/contracts/fault'
import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { WebhookDelivery, WebhookDeliveryWithBody } from '@herald/contracts/webhook'
import { bodyOf } from './core/batch.ts'
import { findDeliveries, findEventsOf, getDelivery, restartDelivery, type DeliveryFilter } from './store/deliveries.ts'
import { getEndpoint } from './store/endpoints.ts'
import type { Webhooks } from './webhooks.ts'

type One = { appId: string; webhookId: string; deliveryId: string }

/** Lists an endpoint's deliveries, newest first, with their attempts; filtered by state and time. Faults: not_found, invalid_body at `cursor`. */
export async function listDeliveries(
  { db }: Pick<Webhooks, 'db'>,
  { appId, cursor, ...asked }: Omit<DeliveryFilter, 'after'> & { appId: string; cursor?: string | undefined },
): Promise<Listed<WebhookDelivery>> {
  await getEndpoint(db, { appId, webhookId: asked.webhookId })
  // A cursor holds an object id. A delivery's id is an object id behind the prefix `dlv_`.
  const place = cursor === undefined ? undefined : readCursor(cursor)
  const after = place && { createdAt: place.createdAt, id: `dlv_${place.id}` }
  const { rows, examinedTo } = await findDeliveries(db, { ...asked, after })
  return listed(rows.map(inList), asked.limit, ({ delivery }) => delivery, examinedTo && inList(examinedTo))
}

const inList = <Found extends { id: string }>(found: Found): Found => ({ ...found, id: found.id.replace(/^dlv_/, '') })

/** Gives a delivery with its attempts and, while its body is kept, the text that is posted and signed. Fault: not_found. */
export async function readDelivery({ db }: Pick<Webhooks, 'db'>, { appId, webhookId, deliveryId }: One): Promise<WebhookDeliveryWithBody> {
  await getEndpoint(db, { appId, webhookId })
  const delivery = await getDelivery(db, { webhookId, deliveryId })
  const events = await findEventsOf(db, { webhookId, deliveryId })
  return { ...delivery, body: events ? bodyOf(deliveryId, events).toString() : null }
}

/**
 * Makes an ended delivery due again: the same bytes are posted, with up to five new attempts. Faults: not_found; invalid_state when the endpoint is
 * switched off, the delivery is still pending or its body is no longer kept.
 */
export async function replayDelivery(
  { db, pokeDeliveries }: Pick<Webhooks, 'db' | 'pokeDeliveries'>,
  { appId, webhookId, deliveryId }: One,
): Promise<WebhookDelivery> {
  const { enabled } = await getEndpoint(db, { appId, webhookId })
  const { state } = await getDelivery(db, { webhookId, deliveryId })
  if (!enabled) throw fault('invalid_state', 'The webhook is switched off.')
  if (state === 'pending') throw fault('invalid_state', 'The delivery is still being attempted.')
  if (!(await restartDelivery(db, { webhookId, deliveryId }))) throw fault('invalid_state', 'The body of the delivery is no longer kept.')
  pokeDeliveries()
  return getDelivery(db, { webhookId, deliveryId })
}
