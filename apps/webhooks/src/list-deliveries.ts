import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { WebhookDelivery } from '@herald/contracts/webhook'
import { findDeliveries, type DeliveryFilter } from './store/deliveries.ts'
import { getEndpoint } from './store/endpoints.ts'
import type { Webhooks } from './webhooks.ts'

/** The delivery log of an endpoint with every attempt, newest first, by state and time. Faults: not_found, invalid_body at `cursor`. */
export async function listDeliveries(
  { db }: Pick<Webhooks, 'db'>,
  { appId, cursor, ...asked }: Omit<DeliveryFilter, 'after'> & { appId: string; cursor?: string | undefined },
): Promise<Listed<WebhookDelivery>> {
  await getEndpoint(db, { appId, webhookId: asked.webhookId })
  // The cursor of a list names an object id; a delivery's is one behind a prefix.
  const place = cursor === undefined ? undefined : readCursor(cursor)
  const after = place && { createdAt: place.createdAt, id: `dlv_${place.id}` }
  const { rows, examinedTo } = await findDeliveries(db, { ...asked, after })
  return listed(rows.map(inList), asked.limit, ({ delivery }) => delivery, examinedTo && inList(examinedTo))
}

const inList = <Found extends { id: string }>(found: Found): Found => ({ ...found, id: found.id.replace(/^dlv_/, '') })
