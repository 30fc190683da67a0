/** An event as a receiver gets it; what else it holds is shown as it is. */
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

/** The most that a page keeps: older events go, so that an hour of looking costs no memory. */
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

/** The events with one more, newest first. One that is there already (a stream that was opened again may repeat it) is not there twice. */
export function keepEvents(events: readonly SeenEvent[], data: unknown): SeenEvent[] {
  if (!isEvent(data) || events.some(({ id }) => id === data.id)) return [...events]
  return [data, ...events].slice(0, mostKept)
}
