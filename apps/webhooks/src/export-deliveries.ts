import type { ExportedDelivery } from '@herald/contracts/person'
import { eventsOf } from './core/batch.ts'
import { findDeliveriesOfUser } from './store/named-deliveries.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * A portion of an export has the deliveries of at most this many bodies. The number is small, because a body has up to 100 events and goes to up to
 * 50 endpoints.
 */
const bodiesAtOnce = 20
/** A portion ends when the bodies of its deliveries have more than this many bytes. */
const mostBytes = 1_000_000

/**
 * Gives the next deliveries that name a user, with the events about that user (spec: administration/export-person). A delivery is exported while its
 * body is kept. `next` is the `after` of the next call; null when there is nothing more.
 */
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
