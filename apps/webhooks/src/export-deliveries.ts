import type { ExportedDelivery } from '@herald/contracts/person'
import { eventsOf } from './core/batch.ts'
import { findDeliveriesOfUser } from './store/named-deliveries.ts'
import type { Webhooks } from './webhooks.ts'

/** Bodies of a portion, at most: each holds up to 100 events, and goes to up to 50 endpoints. */
const bodiesAtOnce = 20
/** Bytes of a portion, about. */
const mostBytes = 1_000_000

/** The next deliveries that named a user, with the events that did (spec: administration/export-person). What is told of them is there for as long as their bodies are. */
export async function exportDeliveries(
  { db }: Pick<Webhooks, 'db'>,
  { appId, userId, after }: { appId: string; userId: string; after: number },
): Promise<{ deliveries: ExportedDelivery[]; next: number | null }> {
  const bodies = await findDeliveriesOfUser(db, { appId, userId, after, limit: bodiesAtOnce })
  const portion: ExportedDelivery[] = []
  let bytes = 0
  for (const [place, { id, events, deliveries }] of bodies.entries()) {
    const named = eventsOf(events, userId)
    portion.push(...deliveries.map((delivery) => ({ ...delivery, events: named })))
    bytes += deliveries.length * events.length
    if (bytes > mostBytes && place < bodies.length - 1) return { deliveries: portion, next: id }
  }
  return { deliveries: portion, next: bodies.length === bodiesAtOnce ? (bodies.at(-1)?.id ?? null) : null }
}
