/** An event as a webhook endpoint gets it. */
export type SeenEvent = {
  id: string
  type: string
  ts: string
  campaignId?: string
  subscriptionId?: string
  userId?: string
  externalId?: string
  platform?: string
  data?: Record<string, unknown>
}

/** The page keeps at most this many events, so that a page that is open for an hour does not fill the browser's memory. */
export const mostKept = 500

const isEvent = (data: unknown): data is SeenEvent =>
  typeof data === 'object' &&
  data !== null &&
  'id' in data &&
  typeof data.id === 'string' &&
  'type' in data &&
  typeof data.type === 'string' &&
  'ts' in data &&
  typeof data.ts === 'string'

/** Adds an event at the top. An event that is in the list already is not added again; a stream that was opened again may repeat events. */
export function keepEvents(events: readonly SeenEvent[], data: unknown): SeenEvent[] {
  if (!isEvent(data) || events.some(({ id }) => id === data.id)) return [...events]
  return [data, ...events].slice(0, mostKept)
}
