import { randomBytes } from 'node:crypto'

/** A batch goes when it holds this many events or its oldest has waited this long (spec: webhooks/batches). */
export const batchSize = 100
export const batchAfterMs = 1_000

/** More waiting events than this and the oldest are dropped, counted and shown (spec: webhooks/most-waiting). */
export const mostWaiting = 100_000

/** An endpoint that does not take its deliveries gets no further ones made: the rest waits as events, where the limit above holds. */
export const mostPending = 1_000

export const newDeliveryId = (): string => `dlv_${randomBytes(12).toString('hex')}`

/** An event as it waits: its JSON but for the external id of its user. */
export type WaitingEvent = { event: string; user_id: string | null }

/**
 * The body of a delivery. Made once and kept as bytes: every attempt sends the same. External ids are put into the stored JSON of
 * an event instead of parsing it: 5,000 events a second pass here.
 */
export function bodyOf(deliveryId: string, events: readonly WaitingEvent[], externalIds: Readonly<Record<string, string>>): Buffer {
  const shown = events.map(({ event, user_id }) => {
    const externalId = user_id !== null && Object.hasOwn(externalIds, user_id) ? externalIds[user_id] : undefined
    return externalId === undefined ? event : `${event.slice(0, -1)},"externalId":${JSON.stringify(externalId)}}`
  })
  return Buffer.from(`{"id":${JSON.stringify(deliveryId)},"events":[${shown.join(',')}]}`)
}

/** The events of a body as they waited before: without any external id. */
export function eventsOf(body: Buffer): { eventId: string; waiting: WaitingEvent }[] {
  const { events } = JSON.parse(body.toString()) as { events: { id: string; userId?: string; externalId?: string }[] }
  return events.map((event) => ({
    eventId: event.id,
    waiting: { event: JSON.stringify({ ...event, externalId: undefined }), user_id: event.userId ?? null },
  }))
}
