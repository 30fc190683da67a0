import type { Explained } from '@herald/contracts/explain'
import type { ImportReport } from '@herald/contracts/import'
import type { OwnedDevice, Person, PersonSummary } from '@herald/contracts/person'
import type { TestDevice } from '@herald/contracts/test-send'
import { examples, type Example } from '../../openapi/http/examples.ts'

/** By route name: what the administration answers of people, their devices, explanations, tests and imports, for its OpenAPI document. */
const { campaignId, content, device, user } = examples
const [monday, tuesday] = ['2026-01-12T09:00:00.000Z', '2026-01-13T18:30:00.000Z']
const { externalId } = user

const shownDevice = { ...device, token: '740f4707…', test: false }
const person = { ...user, subscriptions: [shownDevice], preferences: {} } satisfies Person
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
} satisfies PersonSummary
const push = {
  campaignId,
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
      sentence: 'Not in the segment: tags.plan is free, wanted pro.',
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

const begun = {
  id: '671a2b3c4d5e6f7081920a0b',
  state: 'receiving',
  format: 'onesignal_csv',
  dryRun: false,
  onExisting: 'keep',
  web: 'skip',
  columns: null,
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

export const peopleExamples: Record<string, Example> = {
  explainSend: { answer: explained },
  listUsersOfApp: { answer: { items: [summary], nextCursor: null } },
  searchUsersOfApp: {
    bodies: { 'by its token': { token: '740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61c0ffee' } },
    answer: { user: person },
  },
  readUserOfApp: { answer: { ...person, pushes: [push] } },
  changeUserOfApp: { bodies: { tags: { tags: { plan: 'pro', trial: null } } }, answer: person },
  readSubscriptionOfApp: { answer: { ...owned, pushes: [push] } },
  changeSubscriptionOfApp: {
    bodies: { 'a test device': { test: true }, 'opt out': { optedIn: false } },
    answer: { ...owned, test: true },
  },
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
}
