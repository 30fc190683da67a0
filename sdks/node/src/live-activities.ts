import type { Client } from './client.ts'
import type { SendOptions } from './notifications.ts'
import type { Schema } from './schema.ts'

export const liveActivities = (client: Client) => ({
  /** Starts, updates or ends a Live Activity. Resolves when Herald has stored it, with an id that `campaigns.stats` takes. */
  send: (activity: Schema<'SendLiveActivityBody'>, { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {}) =>
    client.request<Schema<'Accepted'>>('POST', '/v1/live-activities', { ...options, body: activity, idempotencyKey }),
})
