import { randomBytes } from 'node:crypto'
import type { ExportedDelivery } from '@herald/contracts/person'

/** A batch is made when it holds this many events or its oldest event has waited this long (spec: webhooks/batches). */
export const batchSize = 100
export const batchAfterMs = 1_000

/** Above this many waiting events the oldest are dropped, counted and shown (spec: webhooks/most-waiting). */
export const mostWaiting = 100_000

/** Deliveries that are made ahead for an endpoint: two for its two slots, and two so that a free slot need not wait for the next look. */
export const readyAhead = 4
/** For an endpoint with this many pending deliveries no further one is made: the rest waits in the log, where `mostWaiting` holds. */
export const mostPending = 1_000
/**
 * The same for an endpoint whose last attempt had no good answer. Each delivery is tried five times in 450 s: 50 dead endpoints with ten deliveries each
 * cost six attempts a second, with a thousand each they would cost 550.
 */
export const mostPendingWhileFailing = 10

export const newDeliveryId = (): string => `dlv_${randomBytes(12).toString('hex')}`

/** An event as it waits: its JSON without the external id of its user. */
export type WaitingEvent = { event: string; userId: string | null }

/**
 * Says how many waiting events go into the next batch; 0 when it is not to be made yet. The batches of an endpoint that is behind end at a multiple of
 * 100, counted since the log began. So all endpoints that ask for the same types get the same batches and share their bodies, wherever each of them began.
 * `before`: how many events of these types came before the first that waits.
 */
export function sizeOfBatch({ before, waiting, oldestMs }: { before: number; waiting: number; oldestMs: number }): number {
  if (waiting >= batchSize) return batchSize - (before % batchSize)
  return oldestMs >= batchAfterMs ? waiting : 0
}

/**
 * Makes the events of a delivery as JSON. They are made once and kept as bytes, so that every attempt sends the same. An external id is inserted into the
 * stored JSON of an event without parsing it: 5,000 events a second pass here.
 */
export function eventsJson(events: readonly WaitingEvent[], externalIds: Readonly<Record<string, string>>): Buffer {
  const shown = events.map(({ event, userId }) => {
    const externalId = userId !== null && Object.hasOwn(externalIds, userId) ? externalIds[userId] : undefined
    return externalId === undefined ? event : `${event.slice(0, -1)},"externalId":${JSON.stringify(externalId)}}`
  })
  return Buffer.from(`[${shown.join(',')}]`)
}

/** Makes the body of a delivery: the same for the same id and events. */
export const bodyOf = (deliveryId: string, events: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`{"id":${JSON.stringify(deliveryId)},"events":`), events, Buffer.from('}')])

/** Gives the same events without the external id of a user. */
export function withoutExternalId(events: Buffer, userId: string): Buffer {
  const shown = JSON.parse(events.toString()) as { userId?: string; externalId?: string }[]
  return Buffer.from(JSON.stringify(shown.map((event) => (event.userId === userId ? { ...event, externalId: undefined } : event))))
}

/** Gives the events of a delivery that name a user. */
export function eventsOf(events: Buffer, userId: string): ExportedDelivery['events'] {
  const all = JSON.parse(events.toString()) as (ExportedDelivery['events'][number] & { userId?: string })[]
  return all.filter((event) => event.userId === userId)
}
