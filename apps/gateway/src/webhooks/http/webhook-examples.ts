import type { Webhook, WebhookDelivery } from '@herald/contracts/webhook'
import { appId, listOf, monday, tuesday, type Example } from '../../http/shop.ts'

const webhookId = '671a2b3c4d5e6f7081920a08'
const webhook = {
  id: webhookId,
  appId,
  url: 'https://backend.shop.example/herald',
  description: 'Orders',
  eventTypes: ['notification.failed', 'campaign.completed'],
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  secretHint: 'x9Zk',
  lastDeliveryAt: tuesday,
  lastStatus: 204,
  lastError: null,
  waitingEvents: 0,
  droppedEvents: 0,
  storedBytes: 18_400,
  createdAt: monday,
  updatedAt: monday,
} satisfies Webhook
const delivery = {
  id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0',
  state: 'delivered',
  eventCount: 17,
  attempts: [{ at: tuesday, status: 204, error: null, latencyMs: 38 }],
  nextAttemptAt: null,
  replayable: true,
  createdAt: tuesday,
  endedAt: tuesday,
} satisfies WebhookDelivery

/** Examples of webhook endpoints and deliveries, by route name. */
export const webhookExamples: Record<string, Example> = {
  createWebhook: {
    bodies: { endpoint: { url: webhook.url, eventTypes: webhook.eventTypes, description: 'Orders' } },
    answer: { ...webhook, secret: 'whsec_the-secret-that-signs-deliveries' },
  },
  listWebhooks: { answer: listOf(webhook) },
  readWebhook: { answer: webhook },
  changeWebhook: {
    bodies: { 'switch off': { enabled: false } },
    answer: { ...webhook, enabled: false, disabledReason: 'manual', disabledAt: tuesday },
  },
  enableWebhook: { answer: webhook },
  rotateWebhookSecret: { answer: { secret: 'whsec_the-secret-that-signs-deliveries' } },
  testWebhook: { answer: { status: 204, error: null } },
  listWebhookDeliveries: { answer: listOf(delivery) },
  readWebhookDelivery: {
    answer: {
      ...{ id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0', state: 'delivered', eventCount: 1 },
      attempts: [{ at: '2026-02-01T08:00:01.000Z', status: 204, error: null, latencyMs: 48 }],
      ...{ nextAttemptAt: null, replayable: true, createdAt: '2026-02-01T08:00:01.000Z', endedAt: '2026-02-01T08:00:01.048Z' },
      body: '{"id":"dlv_66f0c1a2b3c4d5e6f7a8b9c0","events":[]}',
    },
  },
  replayWebhookDelivery: { answer: { ...delivery, state: 'pending', endedAt: null } },
}
