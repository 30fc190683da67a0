import type { Explained } from '@herald/contracts/explain'
import type { TestDevice } from '@herald/contracts/test-send'
import {
  campaignId,
  content,
  definition,
  device,
  ids,
  listOf,
  monday,
  savedTemplate,
  template,
  tuesday,
  user,
  type Example,
} from '../../http/shop.ts'

const { externalId } = user
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
    { code: 'not_configured', path: 'providers.webpush', message: 'has no credentials: pushes to the web will fail', devices: 150 },
  ],
  estimate: { seconds: 2, perSecond: 812.5, basis: 'recent_sends' },
}
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
const testDevice = {
  id: device.id,
  userId: user.id,
  externalId,
  platform: 'ios',
  token: '740f4707…',
  optedIn: true,
  invalidatedAt: null,
  appVersion: '4.2.0',
  osVersion: '19.1',
  deviceModel: 'iPhone17,1',
  browser: null,
  createdAt: monday,
  lastActiveAt: tuesday,
  markedAt: tuesday,
} satisfies TestDevice
const explained = {
  campaignId,
  status: 'sent',
  startedAt: tuesday,
  fannedOutAt: '2026-01-13T18:30:02.000Z',
  user: { id: user.id, externalId },
  devices: [
    {
      subscriptionId: device.id,
      platform: 'ios',
      verdict: 'not_queued',
      certainty: 'likely',
      sentence: 'Not in the segment: tags.plan is free (the segment wants pro).',
      waitingFor: null,
      steps: [
        { step: 'device', result: 'pass', basis: 'frozen', createdAt: monday, inBounds: true, deleted: false },
        {
          ...{ step: 'reachable', result: 'pass', basis: 'now', optedIn: true, optedOutAt: null },
          ...{ invalidatedAt: null, invalidatedBy: null, registeredAt: monday },
        },
        {
          ...{ step: 'segment', result: 'stop', basis: 'now', changedSince: false },
          leaves: [{ path: 'segment.and.0', field: 'tags.plan', op: 'eq', wanted: 'pro', actual: 'free', matched: false }],
        },
      ],
    },
  ],
} satisfies Explained

/** Examples of notifications, dry runs, tests, explanations, pushes and templates, by route name. */
export const notificationExamples: Record<string, Example> = {
  sendNotification: {
    bodies: {
      'to a user': { target: { externalIds: ['customer-4711'] }, content, data: { order: '17' }, collapseId: 'order-17' },
      'to a segment, from a template': { target: { segment: definition }, templateId: ids.template },
      'silent, to everyone': { target: { all: true }, silent: true, data: { refresh: 'prices' } },
    },
    answer: { id: ids.campaign, status: 'sending' },
  },
  sendLiveActivity: {
    bodies: {
      'start, on the devices of a user': {
        activityId: 'match-3',
        event: 'start',
        target: { externalIds: ['customer-4711'] },
        attributesType: 'MatchAttributes',
        attributes: { home: 'Graz', guest: 'Linz' },
        contentState: { home: 0, guest: 0 },
        alert: { _default: 'en', en: { title: 'Graz – Linz', body: 'The match begins.' } },
      },
      update: { activityId: 'match-3', event: 'update', attributesType: 'MatchAttributes', contentState: { home: 1, guest: 0 } },
      end: {
        activityId: 'match-3',
        event: 'end',
        attributesType: 'MatchAttributes',
        contentState: { home: 2, guest: 1 },
        dismissAt: '2026-01-31T18:00:00.000Z',
      },
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
        {
          index: 1,
          status: 404,
          error: {
            code: 'not_found',
            message: 'templateId names nothing in this app.',
            details: [{ path: 'templateId', message: 'names nothing in this app' }],
          },
        },
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
  listTemplates: { answer: { templates: [template], nextCursor: null } },
  createTemplate: { bodies: { template: savedTemplate }, answer: { ...template, useCount: 0 } },
  readTemplate: { answer: template },
  replaceTemplate: { bodies: { template: savedTemplate }, answer: template },
  listTemplatesOfApp: { answer: listOf(template) },
  listPushes: { answer: listOf({ ...openPush, externalId }, { ...push, externalId }) },
  explainSend: { answer: explained },
  explainCampaign: { answer: explained },
  sendTest: {
    bodies: {
      'to a device': { subscriptionId: device.id, content, mark: true },
      'a campaign, to the test devices of people': { externalIds: ['customer-4711'], campaignId },
    },
    answer: {
      id: campaignId,
      status: 'sent',
      results: [{ subscriptionId: device.id, platform: 'ios', outcome: 'sent', code: null, providerCode: '200', attempts: 1 }],
    },
  },
  listTestDevices: { answer: { items: [testDevice], nextCursor: null } },
}
