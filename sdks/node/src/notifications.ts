import type { Client } from './client.ts'
import type { CallOptions } from './options.ts'
import type { DryRun, Notification, Schema } from './schema.ts'

/**
 * With an idempotency key of your own you can repeat a send after a crash. Of several requests with the same key within 24 hours Herald carries out
 * one.
 */
export type SendOptions = CallOptions & { idempotencyKey?: string }

export const notifications = (client: Client) => ({
  /** Sends a notification. Resolves when Herald has stored it, with an id that `campaigns.stats` takes. */
  send: (notification: Notification, { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {}) =>
    client.request<Schema<'Accepted'>>('POST', '/v1/notifications', { ...options, body: notification, idempotencyKey }),

  /** Sends up to 100 notifications in one request. Gives a result for each, in the same order. */
  sendMany: (
    all: Schema<'SendNotificationsBody'>['notifications'],
    { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {},
  ) =>
    client.request<Schema<'SendsAccepted'>>('POST', '/v1/notifications/batch', {
      ...options,
      body: { notifications: all },
      idempotencyKey,
    }),

  /** Says which devices a notification or campaign would reach, when, and what each platform would be sent. Nothing is sent. */
  dryRun: (body: Schema<'DryRunNotificationBody'>, options: CallOptions = {}) =>
    client.request<DryRun>('POST', '/v1/notifications/dry-run', { ...options, body, repeatable: true }),
})
