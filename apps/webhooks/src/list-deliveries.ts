import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { WebhookDelivery } from '@herald/contracts/webhook'
import { findDeliveries } from './store/deliveries.ts'
import { getEndpoint } from './store/endpoints.ts'
import type { Webhooks } from './webhooks.ts'

/** The delivery log of an endpoint with every attempt, newest first. Faults: not_found, invalid_body at `cursor`. */
export async function listDeliveries(
  { db }: Pick<Webhooks, 'db'>,
  { appId, webhookId, limit, cursor }: { appId: string; webhookId: string; limit: number; cursor?: string | undefined },
): Promise<Listed<WebhookDelivery>> {
  await getEndpoint(db, { appId, webhookId })
  // The cursor of a list names an object id; a delivery's is one behind a prefix.
  const place = cursor === undefined ? undefined : readCursor(cursor)
  const after = place && { createdAt: place.createdAt, id: `dlv_${place.id}` }
  const rows = await findDeliveries(db, { webhookId, limit, after })
  const page = listed(
    rows.map(({ id, ...row }) => ({ id: id.replace(/^dlv_/, ''), ...row })),
    limit,
    ({ delivery }) => delivery,
  )
  return page
}
