import type { Inbox } from '@herald/contracts/inbox'
import type { StoredConversion } from '@herald/contracts/conversion'
import type { ImportReport } from '@herald/contracts/import'
import type { ShownPreferences } from '@herald/contracts/category'
import type { OwnedDevice, MaskedUser, UserSummary } from '@herald/contracts/person'
import {
  category,
  counted,
  definition,
  device,
  ids,
  listOf,
  savedSegment,
  segment,
  tags,
  tuesday,
  user,
  type Example,
} from '../../http/shop.ts'

const { externalId } = user
const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm'
const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}
const userChanges = { tags: { plan: 'gold', trial: null }, language: 'de-AT', timezone: 'Europe/Vienna' }
const inbox = {
  items: [
    {
      id: ids.campaign,
      title: 'Your order is on its way',
      body: 'It arrives today.',
      url: 'https://shop.example/orders/17',
      image: null,
      actions: [],
      data: { kind: 'order' },
      category: null,
      sentAt: '2026-01-31T08:00:00.000Z',
      readAt: null,
      opened: false,
    },
  ],
  unread: 1,
  nextCursor: null,
} satisfies Inbox
const marks = { 'one item': { ids: [ids.campaign] }, 'everything until now': { all: true } }
const preferences = {
  categories: [{ id: category.id, name: category.name, description: category.description, subscribed: false, locked: false }],
} satisfies ShownPreferences
const shownDevice = { ...device, token: '740f4707…', test: false }
const shownUser = { ...user, subscriptions: [shownDevice], preferences: {} } satisfies MaskedUser
const owned = { ...shownDevice, user: { id: user.id, externalId } } satisfies OwnedDevice
const summary = {
  id: user.id,
  externalId,
  language: user.language,
  timezone: user.timezone,
  country: user.country,
  createdAt: user.createdAt,
  lastActiveAt: user.lastActiveAt,
  devices: { ios: 1, android: 0, web: 0 },
  reachable: 1,
} satisfies UserSummary
const push = {
  campaignId: ids.campaign,
  subscriptionId: device.id,
  userId: user.id,
  platform: 'ios',
  variant: null,
  outcome: 'sent',
  code: null,
  providerCode: '200',
  attempts: 1,
  settledAt: tuesday,
  engagements: ['opened'],
}
const conversion = {
  id: 'order-90210',
  name: 'order',
  at: tuesday,
  value: '49.9',
  currency: 'EUR',
  campaignId: ids.campaign,
  how: 'direct',
} satisfies StoredConversion
const begun = {
  id: '671a2b3c4d5e6f7081920a0b',
  state: 'receiving',
  format: 'onesignal_csv',
  dryRun: false,
  onExisting: 'keep',
  web: 'skip',
  columns: null,
  assumeOptedIn: false,
  maxRowsPerSecond: null,
  offset: 0,
  rows: 0,
  bytes: 0,
  created: 0,
  updated: 0,
  kept: 0,
  rejected: 0,
  byCode: {},
  byPlatform: { ios: 0, android: 0, web: 0 },
  optedOut: 0,
  warnings: {},
  rowsPerSecond: null,
  createdAt: tuesday,
  endedAt: null,
} satisfies ImportReport
const underWay = {
  ...begun,
  ...{ offset: 1_048_576, rows: 4_000, bytes: 1_048_576, created: 3_900, rejected: 100, byCode: { web_skipped: 100 } },
  ...{ byPlatform: { ios: 2_400, android: 1_500, web: 0 }, optedOut: 210, rowsPerSecond: 3_400 },
} satisfies ImportReport
const finished = { ...underWay, state: 'finished', endedAt: '2026-01-13T18:31:00.000Z' } satisfies ImportReport

/** Examples of devices, users, segments, tags and imports, by route name. */
export const userExamples: Record<string, Example> = {
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
  startSession: {
    bodies: { session: { appVersion: '4.2.0', osVersion: '18.1' } },
    answer: { id: ids.device, sessionCount: 18, lastSessionAt: '2026-01-31T08:00:00.000Z' },
  },
  loginSubscription: { bodies: { login: { externalId: 'customer-4711' } }, answer: { userId: ids.user, externalId: 'customer-4711' } },
  logoutSubscription: { answer: { userId: ids.user } },
  changeOwner: { bodies: { changes: userChanges }, answer: { userId: ids.user, tags } },
  changeOwnerByPost: { bodies: { changes: userChanges }, answer: { userId: ids.user, tags } },
  reportConversions: {
    bodies: {
      orders: {
        events: [
          { id: 'order-90210', externalId: 'customer-4711', name: 'order', at: tuesday, value: 49.9, currency: 'EUR' },
          { id: 'order-90211', userId: ids.user, name: 'order', at: tuesday },
        ],
      },
    },
    answer: {
      results: [
        { id: 'order-90210', status: 'counted', attribution: { campaignId: ids.campaign, how: 'direct' } },
        { id: 'order-90211', status: 'unknown_user' },
      ],
    },
  },
  reportConversion: {
    bodies: { 'a film was watched': { id: 'watched-77-4711', name: 'film.watched', at: tuesday } },
    answer: { id: 'watched-77-4711', status: 'counted', attribution: { campaignId: ids.campaign, how: 'influenced' } },
  },
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
  readUserByExternalId: { answer: user },
  changeUserByExternalId: { bodies: { changes: userChanges }, answer: user },
  readPreferences: { answer: preferences },
  readPreferencesByExternalId: { answer: preferences },
  readPreferencesOfDevice: { answer: preferences },
  changePreferences: { bodies: { 'leave a category': { categories: { offers: false } } }, answer: preferences },
  changePreferencesByExternalId: { bodies: { 'leave a category': { categories: { offers: false } } }, answer: preferences },
  changePreferencesOfDevice: { bodies: { 'leave a category': { categories: { offers: false } } }, answer: preferences },
  readInbox: { answer: inbox },
  readInboxByExternalId: { answer: inbox },
  putActivityStartToken: { bodies: { token: { token: '80a3f1c2d4e5b697' } }, answer: { id: ids.device } },
  putActivity: { bodies: { token: { attributesType: 'MatchAttributes', token: '80f7c0ffee00d1e2' } }, answer: { id: ids.device } },
  readInboxOfDevice: { answer: inbox },
  markInbox: { bodies: marks },
  markInboxByExternalId: { bodies: marks },
  markInboxOfDevice: { bodies: marks },
  hideInboxItem: { params: { itemId: ids.campaign } },
  hideInboxItemByExternalId: { params: { itemId: ids.campaign } },
  hideInboxItemOfDevice: { params: { itemId: ids.campaign } },
  previewSegment: { bodies: { 'a segment': { segment: definition }, everyone: {} }, answer: counted },
  listSegments: { answer: { segments: [segment], nextCursor: null } },
  createSegment: { bodies: { segment: savedSegment }, answer: { ...segment, lastCount: null, lastCountedAt: null } },
  readSegment: { answer: segment },
  replaceSegment: { bodies: { segment: savedSegment }, answer: { ...segment, lastCount: null, lastCountedAt: null } },
  countSegment: { answer: counted },
  listSegmentsOfApp: { answer: listOf(segment) },
  listUsersOfApp: { answer: { items: [summary], nextCursor: null } },
  searchUsersOfApp: {
    bodies: { 'by its token': { token: '740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61c0ffee' } },
    answer: { user: shownUser },
  },
  readUserOfApp: { answer: { ...shownUser, pushes: [push], conversions: [conversion] } },
  changeUserOfApp: { bodies: { tags: { tags: { plan: 'pro', trial: null } } }, answer: shownUser },
  changePreferencesOfApp: { bodies: { 'leave a category': { categories: { offers: false } } }, answer: preferences },
  readInboxOfApp: { answer: inbox },
  readSubscriptionOfApp: { answer: { ...owned, pushes: [push] } },
  changeSubscriptionOfApp: {
    bodies: { 'a test device': { test: true }, 'opt out': { optedIn: false } },
    answer: { ...owned, test: true },
  },
  startImport: { bodies: { 'from OneSignal': { format: 'onesignal_csv' }, 'try it': { format: 'csv', dryRun: true } }, answer: begun },
  sendImportData: { answer: underWay },
  finishImport: { answer: finished },
  readImport: { answer: underWay },
  listImports: { answer: { items: [finished], nextCursor: null } },
  listImportErrors: {
    answer: {
      items: [{ row: 17, column: 'token', code: 'invalid_token', message: 'must be 64 hexadecimal characters' }],
      nextCursor: null,
    },
  },
  listTagsOfApp: {
    answer: {
      items: [
        { name: 'orders', type: 'number', users: 81_200, low: 79_900, high: 82_500, values: ['0', '1', '2', '3', '5'] },
        { name: 'plan', type: 'string', users: 120_400, low: 119_800, high: 121_000, values: ['free', 'pro', 'team'] },
      ],
      nextCursor: null,
      ...{ exact: false, sample: 9_133, users: 120_400, asOf: '2026-02-01T08:00:00.000Z' },
    },
  },
}
