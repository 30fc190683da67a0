import type { Client } from './client.ts'
import type { CallOptions } from './options.ts'
import type { DryRun, Notification, Schema } from './schema.ts'

/** A key of your own makes a send safe to repeat after a crash: the same key within 24 hours sends nothing a second time. */
export type SendOptions = CallOptions & { idempotencyKey?: string }

export const notifications = (client: Client) => ({
  /** Sends at once. Resolves once Herald has stored it. The id is that of a campaign (`campaigns.stats`). */
  send: (notification: Notification, { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {}) =>
    client.request<Schema<'Accepted'>>('POST', '/v1/notifications', { ...options, body: notification, idempotencyKey }),

  /** Sends up to 100, each with a result of its own in the order given. */
  sendMany: (
    all: Schema<'SendNotificationsBody'>['notifications'],
    { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {},
  ) =>
    client.request<Schema<'SendsAccepted'>>('POST', '/v1/notifications/batch', {
      ...options,
      body: { notifications: all },
      idempotencyKey,
    }),

  /** Whom a notification or campaign would reach, when, and what each platform would be sent. Nothing is sent. */
  dryRun: (body: Schema<'DryRunNotificationBody'>, options: CallOptions = {}) =>
    client.request<DryRun>('POST', '/v1/notifications/dry-run', { ...options, body, repeatable: true }),
})
