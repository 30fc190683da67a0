import { fault } from '@herald/contracts/fault'
import type { WebhookDelivery } from '@herald/contracts/webhook'
import { getDelivery, restartDelivery } from './store/deliveries.ts'
import { getEndpoint } from './store/endpoints.ts'
import type { Webhooks } from './webhooks.ts'

/** Sends the same bytes again, in a round of attempts of its own. Faults: not_found; invalid_state when there is nothing to send. */
export async function replayDelivery(
  { db, poke }: Pick<Webhooks, 'db'> & { poke: () => void },
  { appId, webhookId, deliveryId }: { appId: string; webhookId: string; deliveryId: string },
): Promise<WebhookDelivery> {
  const { enabled } = await getEndpoint(db, { appId, webhookId })
  const { state } = await getDelivery(db, { webhookId, deliveryId })
  if (!enabled) throw fault('invalid_state', 'The webhook is switched off.')
  if (state === 'pending') throw fault('invalid_state', 'The delivery is still being attempted.')
  if (!(await restartDelivery(db, { webhookId, deliveryId }))) throw fault('invalid_state', 'The body of the delivery is no longer kept.')
  poke()
  return getDelivery(db, { webhookId, deliveryId })
}
