import { randomBytes } from 'node:crypto'
import type { ExportedDelivery } from '@herald/contracts/person'

/** A batch goes when it holds this many events or its oldest has waited this long (spec: webhooks/batches). */
export const batchSize = 100
export const batchAfterMs = 1_000

/** More waiting events than this and the oldest are dropped, counted and shown (spec: webhooks/most-waiting). */
export const mostWaiting = 100_000

/** Deliveries made ahead of what an endpoint has taken: two for its two slots, two so that none waits for the next look. */
export const readyAhead = 4
/** An endpoint that does not take its deliveries gets no further ones made: the rest waits in the log, where the limit above holds. */
export const mostPending = 1_000
/**
 * Of an endpoint whose last attempt had no good answer. Each of these is tried five times in 450 s: 50 endpoints that are dead cost six attempts
 * a second, with a thousand deliveries each they cost 550.
 */
export const mostPendingWhileFailing = 10

export const newDeliveryId = (): string => `dlv_${randomBytes(12).toString('hex')}`

/** An event as it waits: its JSON but for the external id of its user. */
export type WaitingEvent = { event: string; user_id: string | null }

/**
 * How many of the events that wait go into the next batch; 0: none yet. Who is behind gets batches that end at a multiple of 100, counted
 * since the log began: all who ask for the same types then have the same batches and share their bodies, wherever each of them began.
 * `before`: events of these types before the first that waits.
 */
export function sizeOfBatch({ before, waiting, oldestMs }: { before: number; waiting: number; oldestMs: number }): number {
  if (waiting >= batchSize) return batchSize - (before % batchSize)
  return oldestMs >= batchAfterMs ? waiting : 0
}

/**
 * The events of a delivery, as JSON. Made once and kept as bytes: every attempt sends the same. External ids are put into the stored JSON of
 * an event instead of parsing it: 5,000 events a second pass here.
 */
export function eventsJson(events: readonly WaitingEvent[], externalIds: Readonly<Record<string, string>>): Buffer {
  const shown = events.map(({ event, user_id }) => {
    const externalId = user_id !== null && Object.hasOwn(externalIds, user_id) ? externalIds[user_id] : undefined
    return externalId === undefined ? event : `${event.slice(0, -1)},"externalId":${JSON.stringify(externalId)}}`
  })
  return Buffer.from(`[${shown.join(',')}]`)
}

/** The body of a delivery: the same for the same id and events. */
export const bodyOf = (deliveryId: string, events: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`{"id":${JSON.stringify(deliveryId)},"events":`), events, Buffer.from('}')])

/** The same events without the external id of a user. */
export function withoutExternalId(events: Buffer, userId: string): Buffer {
  const shown = JSON.parse(events.toString()) as { userId?: string; externalId?: string }[]
  return Buffer.from(JSON.stringify(shown.map((event) => (event.userId === userId ? { ...event, externalId: undefined } : event))))
}

/** Those events of a delivery that name a user. */
export function eventsOf(events: Buffer, userId: string): ExportedDelivery['events'] {
  const all = JSON.parse(events.toString()) as (ExportedDelivery['events'][number] & { userId?: string })[]
  return all.filter((event) => event.userId === userId)
}
