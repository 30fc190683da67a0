import { randomBytes } from 'node:crypto'
import type { ExportedDelivery } from '@herald/contracts/person'

/** A batch is made when this many events wait for an endpoint, or when the oldest of them has waited this long (spec: webhooks/batches). */
export const batchSize = 100
export const batchAfterMs = 1_000

/**
 * When more events than this wait for an endpoint the oldest are dropped, and the endpoint shows how many (spec: webhooks/most-waiting). They are also
 * dropped when they have too many bytes (`mostBytes` in freeze-batches.ts).
 */
export const mostWaiting = 100_000

/**
 * A new delivery is made for an endpoint only while fewer than this many of its deliveries are due: two that are posted at once, and two that follow
 * before the next sweep.
 */
export const readyAhead = 4
/** An endpoint with this many pending deliveries gets no further one. Its other events wait in the log, where `mostWaiting` is the limit. */
export const mostPending = 1_000
/**
 * The limit of pending deliveries for an endpoint whose last attempt failed or was slow. At five attempts in 450 s, 50 dead endpoints with ten each
 * cause six attempts a second; with a thousand each 550.
 */
export const mostPendingWhileFailing = 10

export const newDeliveryId = (): string => `dlv_${randomBytes(12).toString('hex')}`

/** A waiting event: its JSON without the external id of its user. */
export type WaitingEvent = { event: string; userId: string | null }

/**
 * Says how many waiting events go into the next batch; 0 when none is made. Full batches end at multiples of 100, so that endpoints share bodies.
 * `before`: events of these types before the first waiting one.
 */
export function sizeOfBatch({ before, waiting, oldestMs }: { before: number; waiting: number; oldestMs: number }): number {
  if (waiting >= batchSize) return batchSize - (before % batchSize)
  return oldestMs >= batchAfterMs ? waiting : 0
}

/**
 * Makes a delivery's events as JSON, stored so that every attempt posts the same bytes. An external id is inserted into an event's JSON without
 * parsing it, because up to 5,000 events a second pass here.
 */
export function eventsJson(events: readonly WaitingEvent[], externalIds: Readonly<Record<string, string>>): Buffer {
  const shown = events.map(({ event, userId }) => {
    const externalId = userId !== null && Object.hasOwn(externalIds, userId) ? externalIds[userId] : undefined
    return externalId === undefined ? event : `${event.slice(0, -1)},"externalId":${JSON.stringify(externalId)}}`
  })
  return Buffer.from(`[${shown.join(',')}]`)
}

/** Makes the body of a delivery. The same id and events always give the same bytes. */
export const bodyOf = (deliveryId: string, events: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`{"id":${JSON.stringify(deliveryId)},"events":`), events, Buffer.from('}')])

export function withoutExternalId(events: Buffer, userId: string): Buffer {
  const shown = JSON.parse(events.toString()) as { userId?: string; externalId?: string }[]
  return Buffer.from(JSON.stringify(shown.map((event) => (event.userId === userId ? { ...event, externalId: undefined } : event))))
}

/** Gives the events of a delivery that are about a user. */
export function eventsOf(events: Buffer, userId: string): ExportedDelivery['events'] {
  const all = JSON.parse(events.toString()) as (ExportedDelivery['events'][number] & { userId?: string })[]
  return all.filter((event) => event.userId === userId)
}
