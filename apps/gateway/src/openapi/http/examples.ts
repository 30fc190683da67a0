import type { FaultCode } from '@herald/contracts/fault'
import type { SavedSegment, SegmentCount } from '@herald/contracts/saved-segment'
import type { Template } from '@herald/contracts/template'
import type { Subscription, User } from '@herald/contracts/user'

/** All examples of the OpenAPI document are of one shop: tests check each against its schema, and send each for real. */
const ids = {
  device: '671a2b3c4d5e6f7081920a01',
  user: '671a2b3c4d5e6f7081920a02',
  segment: '671a2b3c4d5e6f7081920a03',
  template: '671a2b3c4d5e6f7081920a04',
  campaign: '671a2b3c4d5e6f7081920a05',
}
const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm'
const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}
const device = {
  id: ids.device,
  platform: 'ios',
  token: '…c0ffee',
  optedIn: true,
  appVersion: '4.2.0',
  sdkVersion: '1.0.0',
  osVersion: '18.1',
  deviceModel: 'iPhone16,2',
  browser: null,
  standalone: null,
  sessionCount: 17,
  lastSessionAt: '2026-01-31T08:00:00.000Z',
  createdAt: '2025-11-03T17:20:11.000Z',
  lastActiveAt: '2026-01-31T08:04:30.000Z',
  lastNotifiedAt: '2026-01-30T18:00:00.000Z',
  invalidatedAt: null,
} satisfies Subscription
const tags = { plan: 'gold', orders: 12, newsletter: true }
const user = {
  id: ids.user,
  externalId: 'customer-4711',
  tags,
  language: 'de-AT',
  timezone: 'Europe/Vienna',
  country: 'AT',
  createdAt: '2025-11-03T17:20:11.000Z',
  lastActiveAt: '2026-01-31T08:04:30.000Z',
  subscriptions: [device],
} satisfies User
const userChanges = { tags: { plan: 'gold', trial: null }, language: 'de-AT', timezone: 'Europe/Vienna' }
const definition = {
  and: [
    { field: 'tags.plan', op: 'in', value: ['gold', 'silver'] },
    { field: 'lastActiveAt', op: 'gt', value: '-14d' },
  ],
}
const savedSegment = { name: 'Active customers', description: 'Paying, seen within two weeks', definition }
const segment = {
  id: ids.segment,
  ...savedSegment,
  lastCount: 1280,
  lastCountedAt: '2026-01-31T08:10:00.000Z',
  createdAt: '2026-01-12T09:00:00.000Z',
  updatedAt: '2026-01-12T09:00:00.000Z',
} satisfies SavedSegment
const counted = { count: 1280, byPlatform: { ios: 520, android: 610, web: 150 } } satisfies SegmentCount
const content = {
  _default: 'en',
  en: {
    title: 'Your order is on its way',
    body: 'Hello {{ tags.name | default: "there" }}, it arrives today.',
    url: 'https://shop.example/orders/17',
  },
  de: { title: 'Ihre Bestellung ist unterwegs', body: 'Sie kommt heute an.' },
}
const savedTemplate = { name: 'Order shipped', content, data: { kind: 'order' }, ttl: 86_400, presentation: { sound: 'default' } }
const template = {
  id: ids.template,
  ...savedTemplate,
  description: null,
  collapseId: null,
  priority: null,
  silent: null,
  useCount: 3,
  createdAt: '2026-01-12T09:00:00.000Z',
  updatedAt: '2026-01-12T09:00:00.000Z',
} satisfies Template
const entry = { title: 'Ihre Bestellung ist unterwegs', body: 'Sie kommt heute an.' }
const dryRun = {
  audience: { devices: 1280, users: 1104, byPlatform: { ios: 520, android: 610, web: 150 }, exact: true },
  unreachable: { optedOut: 96, invalidated: 31 },
  skips: [{ reason: 'frequency_cap', devices: 44, exact: true }],
  waves: [{ at: '2026-01-31T08:10:00.000Z', devices: 1280 }],
  experiment: null,
  locales: [
    { locale: 'de', devices: 900, fallback: 0 },
    { locale: 'en', devices: 380, fallback: 20 },
  ],
  bytes: [{ platform: 'ios', locale: 'de', variant: null, max: 421, limit: 4096, truncated: false }],
  samples: [
    {
      subscriptionId: ids.device,
      userId: ids.user,
      platform: 'ios',
      variant: null,
      locale: 'de',
      entry,
      payload: {
        aps: { alert: entry, 'mutable-content': 1 },
        herald: { msgId: 'NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2.q83vEjRWeJCrze8SNFZ4kA' },
      },
      bytes: 421,
      limit: 4096,
      skip: null,
      warnings: [],
    },
  ],
  warnings: [
    { code: 'not_configured', path: 'providers.webpush', message: 'is not set: pushes to the web fail with not_configured', devices: 150 },
  ],
  estimate: { seconds: 2, perSecond: 812.5, basis: 'recent_sends' },
}
const counters = { sent: 1278, failed: 2, skipped: 0, delivered: 1100, opened: 330, clicked: 110, dismissed: 40 }

export const examples = { device, user, segment, template, counted, content, definition, campaignId: ids.campaign }

export type Example = { bodies?: Record<string, unknown>; answer?: unknown; params?: Record<string, string> }

/** Example bodies of a request (several where there are several kinds) and its answer, by route name. */
export const exampleOf: Record<string, Example> = {
  registerSubscription: {
    bodies: {
      phone: {
        platform: 'ios',
        token: '740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61c0ffee',
        externalId: 'customer-4711',
        tags,
        language: 'de-AT',
        appVersion: '4.2.0',
      },
      browser: { platform: 'web', endpoint, keys, browser: 'Firefox', standalone: false, timezone: 'Europe/Vienna' },
    },
    answer: { id: ids.device, platform: 'ios', userId: ids.user },
  },
  rotateSubscription: {
    bodies: { rotation: { old: endpoint, new: { endpoint: `${endpoint}2`, keys } } },
    answer: { id: ids.device },
  },
  changeSubscription: { bodies: { 'opt-out': { optedIn: false } }, answer: { id: ids.device, optedIn: false } },
  deleteSubscription: {},
  startSession: {
    bodies: { session: { appVersion: '4.2.0', osVersion: '18.1' } },
    answer: { id: ids.device, sessionCount: 18, lastSessionAt: '2026-01-31T08:00:00.000Z' },
  },
  loginSubscription: { bodies: { login: { externalId: 'customer-4711' } }, answer: { userId: ids.user, externalId: 'customer-4711' } },
  logoutSubscription: { answer: { userId: ids.user } },
  changeOwner: { bodies: { changes: userChanges }, answer: { userId: ids.user, tags } },
  changeOwnerByPost: { bodies: { changes: userChanges }, answer: { userId: ids.user, tags } },
  changeUsers: {
    bodies: {
      users: {
        users: [{ externalId: 'customer-4711', ...userChanges }, { externalId: 'customer-4712', country: 'DE' }, { userId: ids.user }],
      },
    },
    answer: {
      results: [
        { index: 0, status: 200, id: ids.user, created: false },
        { index: 1, status: 200, id: ids.user.replace('02', '12'), created: true },
        { index: 2, status: 404, error: { code: 'not_found', message: 'Not found.' } },
      ],
    },
  },
  readUser: { answer: user },
  changeUser: { bodies: { changes: userChanges }, answer: user },
  deleteUser: {},
  readUserByExternalId: { answer: user },
  changeUserByExternalId: { bodies: { changes: userChanges }, answer: user },
  deleteUserByExternalId: {},
  sendNotification: {
    bodies: {
      'to a user': { target: { externalIds: ['customer-4711'] }, content, data: { order: '17' }, collapseId: 'order-17' },
      'to a segment, from a template': { target: { segment: definition }, templateId: ids.template },
      'silent, to everyone': { target: { all: true }, silent: true, data: { refresh: 'prices' } },
    },
    answer: { id: ids.campaign, status: 'sending' },
  },
  sendNotifications: {
    bodies: {
      'two orders': {
        notifications: [
          { idempotencyKey: 'order-17-shipped', target: { externalIds: ['customer-4711'] }, content, data: { order: '17' } },
          { idempotencyKey: 'order-18-shipped', target: { externalIds: ['customer-4712'] }, templateId: ids.template },
        ],
      },
    },
    answer: {
      results: [
        { index: 0, status: 202, id: ids.campaign, replayed: true },
        { index: 1, status: 404, error: { code: 'not_found', message: 'Not found.' } },
      ],
    },
  },
  dryRunNotification: {
    bodies: {
      'to a segment': { notification: { target: { segment: definition }, content } },
      'a campaign, shown to a device': {
        campaign: { name: 'Weekend sale', content },
        samples: { subscriptionIds: [ids.device] },
      },
      'to everyone, with the same samples each time': {
        notification: { target: { all: true }, templateId: ids.template },
        samples: { random: 10, seed: 'release-17' },
      },
    },
    answer: dryRun,
  },
  createCampaign: {
    bodies: {
      'on Friday': { name: 'Weekend sale', segmentId: ids.segment, content, schedule: { type: 'at', at: '2026-02-06T15:00:00Z' } },
      experiment: {
        name: 'Which words?',
        content,
        experiment: {
          sampleRate: 0.2,
          variants: [
            { id: 'a', name: 'Sober', weight: 1, content },
            { id: 'b', name: 'Loud', weight: 1, content: { _default: 'en', en: { title: 'Here it comes!', body: 'Today!' } } },
          ],
        },
      },
    },
    answer: { id: ids.campaign, status: 'draft' },
  },
  sendCampaign: { answer: { status: 'scheduled' } },
  cancelCampaign: { answer: { status: 'cancelled' } },
  pickWinner: { bodies: { winner: { variant: 'b' } }, answer: { id: ids.campaign, status: 'sending' } },
  readCampaignStats: {
    answer: {
      id: ids.campaign,
      status: 'sent',
      stats: { queued: 1280, ...counters },
      rates: { delivery: 0.8607, open: 0.3, click: 0.1 },
    },
  },
  previewSegment: { bodies: { 'a segment': { segment: definition }, everyone: {} }, answer: counted },
  listSegments: { answer: { segments: [segment], nextCursor: null } },
  createSegment: { bodies: { segment: savedSegment }, answer: { ...segment, lastCount: null, lastCountedAt: null } },
  readSegment: { answer: segment },
  replaceSegment: { bodies: { segment: savedSegment }, answer: { ...segment, lastCount: null, lastCountedAt: null } },
  deleteSegment: {},
  countSegment: { answer: counted },
  listTemplates: { answer: { templates: [template], nextCursor: null } },
  createTemplate: { bodies: { template: savedTemplate }, answer: { ...template, useCount: 0 } },
  readTemplate: { answer: template },
  replaceTemplate: { bodies: { template: savedTemplate }, answer: template },
  deleteTemplate: {},
  trackEvent: {},
  readHealth: { answer: { status: 'ok', db: 'ready' } },
  readWebPushKey: {
    answer: { publicKey: 'BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE' },
  },
}

/** Example values of the parameters in a path. */
export const exampleParam: Record<string, string> = {
  appId: '671a2b3c4d5e6f7081920a06',
  keyId: '671a2b3c4d5e6f7081920a07',
  deliveryId: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0',
  deviceId: 'ios-300',
  externalId: 'customer-4711',
  kind: 'o',
  msgId:
    'NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2fDY3MWEyYjNjNGQ1ZTZmNzA4MTkyMGEwNXw2NzFhMmIzYzRkNWU2ZjcwODE5MjBhMDJ8NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTAxfGlvc3w.q83vEjRWeJCrze8SNFZ4kA',
}

/** An example of each error: the sentence, and the field where there is one. */
export const exampleFault: Record<FaultCode, { message: string; path?: string }> = {
  unknown_kind: { message: 'The kind must be d, o, c or x.' },
  invalid_msg_id: { message: 'The msgId is not one of ours.' },
  unauthorized: { message: 'The API key is not valid.' },
  forbidden: { message: 'The API key does not have the scope campaigns:write.' },
  not_found: { message: 'Not found.' },
  method_not_allowed: { message: 'This method is not allowed here; allowed: POST.' },
  duplicate_name: { message: 'This name is taken.', path: 'name' },
  invalid_state: { message: 'The campaign is cancelled.' },
  limit_reached: { message: 'A user has at most 100 devices.' },
  idempotency_in_progress: { message: 'A request with this Idempotency-Key is still being processed.' },
  not_an_experiment: { message: 'The campaign is not an experiment.' },
  still_sending: { message: 'The campaign is still sending.' },
  no_remainder: { message: 'Nobody was held out of the experiment.' },
  winner_already_sent: { message: 'The winner was sent already.' },
  body_too_large: { message: 'The body must be at most 512 KiB.' },
  unsupported_media_type: { message: 'The body must be JSON in UTF-8: content-type application/json.' },
  invalid_body: { message: 'is required', path: 'name' },
  invalid_segment: { message: 'is not a known field; tags are written tags.<name>', path: 'segment.and.1.field' },
  idempotency_key_reused: { message: 'This Idempotency-Key was used with another request.' },
  unknown_variant: { message: 'is not a variant of this campaign', path: 'variant' },
  rate_limited: { message: 'Too many requests. Try again in 17 seconds.' },
  internal: { message: 'Internal error.' },
  database_unavailable: { message: 'The database is unavailable. Try again shortly.' },
  queue_unavailable: { message: 'A part of the service is unavailable. Try again shortly.' },
}
