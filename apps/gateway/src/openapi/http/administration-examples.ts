import type { App } from '@herald/contracts/app'
import type { Circuit } from '@herald/contracts/calls/audience'
import type { Campaign } from '@herald/contracts/campaign'
import type { Webhook, WebhookDelivery } from '@herald/contracts/webhook'
import { remedyOf } from '@herald/contracts/remedies'
import type { System } from '../../overview/read-system.ts'
import type { ShownKey } from '../../apps/store/api-keys.ts'
import type { AuditEntry } from '../../store/audit.ts'
import { examples, type Example } from './examples.ts'
import { historyExamples } from '../../overview/http/history-examples.ts'
import { overviewExamples } from '../../overview/http/overview-examples.ts'
import { peopleExamples } from '../../people/http/people-examples.ts'
import { simulatorExamples } from '../../simulator/http/simulator-answers.ts'
import { sessionExamples } from '../../session/http/session-answers.ts'

/** The shop of examples.ts, as its administrators see it. Operations that both surfaces have show the examples of the public one. */
const appId = '671a2b3c4d5e6f7081920a06'
const keyId = '671a2b3c4d5e6f7081920a07'
const webhookId = '671a2b3c4d5e6f7081920a08'
const { campaignId, content, definition, device, segment, template, user } = examples
const [monday, tuesday] = ['2026-01-12T09:00:00.000Z', '2026-01-13T18:30:00.000Z']

const app = {
  id: appId,
  name: 'Shop',
  settings: {
    defaultTimezone: 'Europe/Vienna',
    frequencyCap: { max: 3, windowSeconds: 86_400 },
    quietHours: { start: '22:00', end: '08:00', action: 'hold' },
    identityVerification: 'off',
  },
  createdAt: monday,
} satisfies App
const key = {
  id: keyId,
  kind: 'secret',
  name: 'backend',
  scopes: ['notifications:send', 'campaigns:read'],
  hint: 'a1b2',
  createdAt: monday,
  lastUsedAt: '2026-01-13T18:00:00.000Z',
} satisfies ShownKey
const apns = { teamId: 'TEAM000001', keyId: 'KEY0000001', bundleId: 'com.example.shop', environment: 'production' }
const fcm = {
  projectId: 'shop-project',
  clientEmail: 'sender@shop-project.iam.gserviceaccount.com',
  tokenUri: 'https://oauth2.googleapis.com/token',
}
const webpush = {
  subject: 'mailto:ops@shop.example',
  publicKey: 'BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE',
}
const circuit = {
  platform: 'ios',
  environment: 'production',
  state: 'open',
  code: 'credentials_invalid',
  since: tuesday,
  probeAt: '2026-01-13T18:30:30.000Z',
  heldCount: 1200,
} satisfies Circuit
const { state: _state, heldCount: _heldCount, ...openWay } = circuit
const openCircuit = { appId, ...openWay }
const pem = '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n'
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
const draft = {
  id: campaignId,
  name: 'Weekend sale',
  status: 'draft',
  transactional: false,
  content,
  templateId: null,
  segment: definition,
  segmentId: null,
  schedule: { type: 'at', at: '2026-02-06T15:00:00.000Z' },
  experiment: null,
  silent: false,
  data: {},
  ttl: 86_400,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
  recurringOf: null,
  remainderOf: null,
  failure: null,
  cancelling: false,
  nextAt: null,
  missedCount: 0,
  createdAt: tuesday,
  startedAt: null,
  settledAt: null,
  test: false,
} satisfies Campaign
const sent = { ...draft, status: 'sent', startedAt: '2026-02-06T15:00:00.000Z', settledAt: '2026-02-06T15:00:09.000Z' } satisfies Campaign
const stats = { queued: 1280, sent: 1278, failed: 2, skipped: 0, delivered: 1100, opened: 330, clicked: 110, dismissed: 40 }
const push = {
  campaignId,
  subscriptionId: device.id,
  userId: user.id,
  platform: 'ios',
  variant: null,
  outcome: 'failed',
  code: 'token_dead',
  providerCode: '410 Unregistered',
  attempts: 1,
  settledAt: '2026-02-06T15:00:02.000Z',
  engagements: [],
}
const openPush = {
  ...push,
  outcome: 'open',
  code: 'rate_limited',
  providerCode: '429 TooManyRequests',
  settledAt: null,
  state: 'retry',
  nextTryAt: '2026-02-06T15:00:06.000Z',
}
const line = {
  id: '671a2b3c4d5e6f7081920a09',
  actor: 'Ann Miller',
  action: 'key.created',
  subject: { keyId, kind: 'secret', name: 'backend', scopes: ['notifications:send', 'campaigns:read'] },
  requestId: '671a2b3c4d5e6f7081920a10',
  createdAt: monday,
} satisfies AuditEntry
const listOf = (...items: unknown[]) => ({ items, nextCursor: null })

/** By route name, as `exampleOf` of the public operations. */
export const administrationExamples: Record<string, Example> = {
  ...historyExamples,
  ...overviewExamples,
  ...peopleExamples,
  createApp: { bodies: { app: { name: 'Shop' } }, answer: app },
  listApps: { answer: listOf(app) },
  readApp: { answer: app },
  changeApp: { bodies: { settings: { settings: { quietHours: app.settings.quietHours } } }, answer: app },
  makeIdentitySecret: { answer: { secret: 'ids_the-secret-that-signs-identity-tokens' } },
  createKey: {
    bodies: { secret: { kind: 'secret', name: 'backend', scopes: key.scopes }, public: { kind: 'public', name: 'sdk' } },
    answer: { ...key, lastUsedAt: null, key: `sk_live_${appId}_the-secret-part-of-the-key` },
  },
  listKeys: { answer: listOf(key) },
  setApns: { bodies: { 'a .p8 file': { ...apns, privateKey: pem } }, answer: apns },
  setFcm: {
    bodies: {
      'a service account': { serviceAccount: { project_id: fcm.projectId, client_email: fcm.clientEmail, private_key: pem } },
    },
    answer: fcm,
  },
  setWebPush: { bodies: { 'keys are made': { subject: webpush.subject } }, answer: webpush },
  'read-apns': { answer: { ...apns, circuits: [circuit] } },
  'read-fcm': { answer: { ...fcm, circuits: [] } },
  'read-webpush': { answer: { ...webpush, circuits: [] } },
  'probe-apns': { answer: { open: 1 } },
  'probe-fcm': { answer: { open: 0 } },
  'probe-webpush': { answer: { open: 0 } },
  'check-apns': {
    answer: {
      ok: false,
      code: 'credentials_invalid',
      providerCode: '403 InvalidProviderToken',
      remedy: remedyOf('apns', 'credentials_invalid', '403 InvalidProviderToken'),
    },
  },
  'check-fcm': { answer: { ok: true, code: null, providerCode: '400 INVALID_ARGUMENT message.token', remedy: null } },
  'check-webpush': { answer: { ok: true, code: null, providerCode: null, remedy: null } },
  listPushes: { answer: listOf(openPush, push) },
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
  replayWebhookDelivery: { answer: { ...delivery, state: 'pending', endedAt: null } },
  readSystem: {
    answer: {
      version: '0.1.0',
      baseUrl: 'https://push.shop.example',
      database: 'ready',
      queue: 'ready',
      ledgerDifference: 0,
      openCircuits: { count: 1, items: [openCircuit] },
      simulator: false,
    } satisfies System,
  },
  listAudit: { answer: listOf(line) },
  listAuditOfHerald: {
    answer: listOf({ ...line, actor: 'Dana', action: 'session.begun', subject: { id: webhookId, by: 'link', browser: 'Firefox 153' } }),
  },
  ...sessionExamples,
  ...simulatorExamples,
  listSegmentsOfApp: { answer: listOf(segment) },
  listTemplatesOfApp: { answer: listOf(template) },
  listCampaignsOfApp: { answer: listOf({ ...sent, stats }) },
  readCampaignOfApp: { answer: { ...sent, stats, rates: { delivery: 0.8607, open: 0.3, click: 0.1 } } },
  replaceCampaignOfApp: {
    bodies: { campaign: { name: 'Weekend sale', segment: definition, content, schedule: { type: 'at', at: '2026-02-06T15:00:00Z' } } },
    answer: draft,
  },
  pauseCampaignOfApp: { answer: { status: 'paused' } },
  resumeCampaignOfApp: { answer: { status: 'sending' } },
  duplicateCampaignOfApp: { answer: draft },
  verifyCampaignOfApp: { answer: { campaignId, agrees: true, difference: 0, counters: stats, ledger: stats } },
}
