import type { FrozenSend } from '@herald/contracts/batch'
import type { Call } from '@herald/contracts/call'
import * as audienceCalls from '@herald/contracts/calls/audience'
import * as campaignCalls from '@herald/contracts/calls/campaigns'
import { checkProvider } from '@herald/contracts/calls/dispatcher'
import * as trackerCalls from '@herald/contracts/calls/tracker'
import * as webhookCalls from '@herald/contracts/calls/webhooks'
import type { Campaign } from '@herald/contracts/campaign'
import type { AudienceDryRun } from '@herald/contracts/dry-run'
import { newId } from '@herald/contracts/ids'
import type { ImportReport } from '@herald/contracts/import'
import type { OwnedDevice, MaskedUser } from '@herald/contracts/person'
import type { CampaignsSummary, DeviceCounts, RecentCounts } from '@herald/contracts/series'
import type { Webhook, WebhookDelivery } from '@herald/contracts/webhook'
import * as shop from '../http/shop.ts'

/* What the fake services of start-peers.ts answer: single values that tests begin with, and the usual answers to calls. */

/** A draft as the service campaigns shows it. */
export const givenCampaign: Campaign = {
  id: shop.campaignId,
  name: 'Sale',
  status: 'draft',
  transactional: false,
  content: null,
  templateId: null,
  segment: null,
  segmentId: null,
  audience: { kind: 'everyone' },
  schedule: { type: 'now' },
  experiment: null,
  winner: null,
  silent: true,
  data: {},
  ttl: 2_419_200,
  collapseId: null,
  priority: 'high',
  presentation: null,
  overrides: null,
  category: null,
  inbox: false,
  sendRate: null,
  bypass: {},
  recurringOf: null,
  remainderOf: null,
  recallOf: null,
  author: null,
  test: false,
  failure: null,
  cancelling: false,
  nextAt: null,
  missedCount: 0,
  createdAt: '2026-01-31T08:00:00.000Z',
  startedAt: null,
  settledAt: null,
}

/** A send as the service campaigns resolves it for a dry run. */
export const givenResolved: FrozenSend = {
  campaignId: '0'.repeat(24),
  appId: newId(),
  name: 'notification',
  transactional: true,
  content: {
    _default: 'en',
    en: { title: 'Hello {{ tags.name }}', body: 'There is news.' },
    de: { title: 'Hallo', body: 'Es gibt Neues.' },
  },
  silent: false,
  data: {},
  ttl: 3_600,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
}

const sample = { subscriptionId: shop.device.id, userId: shop.user.id, platform: 'android', variant: '', skip: null } as const
/** What audience counts for the send `givenResolved`: one sample, on Android. */
export const givenDryRun: AudienceDryRun = {
  startsAt: '2026-01-31T08:00:00.000Z',
  audience: { users: 30, byPlatform: { ios: 10, android: 20, web: 5 } },
  estimated: null,
  isWhole: true,
  unreachable: { optedOut: 2, invalidated: 1 },
  skips: [],
  toSend: 35,
  waves: [{ at: '2026-01-31T08:00:00.000Z', devices: 35 }],
  experiment: null,
  locales: [
    { variant: '', locale: 'en', byPlatform: { ios: 10, android: 10, web: 5 }, fallback: 4, missing: 1 },
    { variant: '', locale: 'de', byPlatform: { ios: 0, android: 10, web: 0 }, fallback: 0, missing: 0 },
  ],
  webNeverSeen: 0,
  unknownIds: 0,
  samples: [
    {
      ...sample,
      recipient: {
        ...{ place: 0, subscriptionId: sample.subscriptionId, userId: sample.userId, address: '', keys: null, tokenVersion: 1 },
        ...{ environment: null, language: 'en', timezone: null, user: {}, tags: {}, subscription: {} },
      },
    },
  ],
  unknownSamples: [],
  openCircuits: [],
}

export const givenWebhook: Webhook = {
  id: newId(),
  appId: newId(),
  url: 'https://receiver.example/',
  description: null,
  eventTypes: ['*'],
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  secretHint: 'abcd',
  lastDeliveryAt: null,
  lastStatus: null,
  lastError: null,
  waitingEvents: 0,
  droppedEvents: 0,
  storedBytes: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const givenDelivery: WebhookDelivery = {
  id: 'dlv_1',
  state: 'pending',
  eventCount: 1,
  attempts: [],
  nextAttemptAt: null,
  replayable: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
}

const noDevices = { total: 0, reachable: 0, optedOut: 0, invalidated: 0, active1d: 0, active7d: 0, active30d: 0 }
export const givenDevices: DeviceCounts = {
  asOf: '2026-01-01T00:00:00.000Z',
  devices: { ios: noDevices, android: noDevices, web: noDevices },
}
const nothing = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
const noEnds = { sent: 0, failed: 0, skipped: 0 }
export const quietDays: RecentCounts = {
  asOf: '2026-01-01T00:00:00.000Z',
  last24h: nothing,
  previous24h: nothing,
  byPlatform: { ios: noEnds, android: noEnds, web: noEnds },
  days: [],
}
export const noCampaigns: CampaignsSummary = { byStatus: {}, next: [], paused: [], failed: [] }

const { user: givenUser, device: givenDevice } = shop
const maskedDevice = { ...givenDevice, token: 'canaryto…', test: false }
/** A user, and a device with its owner, as the administration shows them. */
export const givenMaskedUser: MaskedUser = { ...givenUser, subscriptions: [maskedDevice], preferences: {} }
export const givenOwned: OwnedDevice = { ...maskedDevice, user: { id: givenUser.id, externalId: givenUser.externalId } }

export const givenImport: ImportReport = {
  id: newId(),
  state: 'receiving',
  format: 'csv',
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
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
}

const givenTags: audienceCalls.TagUses = {
  tags: [{ name: 'plan', type: 'string', users: 3, low: 3, high: 3, values: ['pro', 'free'] }],
  exact: true,
  sample: 3,
  users: 3,
  asOf: '2026-01-01T00:00:00.000Z',
}

const { device, user, segment, counted, template, campaignId: draftId } = shop

/** Pairs a call with an answer of its type. */
const usual = <Request, Answer>(call: Call<Request, Answer>, answer: Answer): [call: Call<unknown, unknown>, answer: unknown] => [
  call,
  answer,
]

/** The usual answers to calls, by the service that answers. */
export const usualAnswers = {
  audience: [
    usual(audienceCalls.rotateSubscription, { id: device.id }),
    usual(audienceCalls.patchSubscription, { id: device.id, optedIn: false }),
    usual(audienceCalls.deleteSubscription, {}),
    usual(audienceCalls.startSession, { id: device.id, sessionCount: 18, lastSessionAt: device.lastSessionAt }),
    usual(audienceCalls.loginSubscription, { userId: user.id, externalId: user.externalId }),
    usual(audienceCalls.logoutSubscription, { userId: user.id }),
    usual(audienceCalls.changeOwner, { userId: user.id, tags: user.tags }),
    usual(audienceCalls.readUser, user),
    usual(audienceCalls.changeUser, user),
    usual(audienceCalls.readPreferences, { choices: {} }),
    usual(audienceCalls.readInboxOwner, { user: { id: user.id, externalId: null }, subscriptionIds: [device.id], reader: null }),
    usual(audienceCalls.changePreferences, { choices: { offers: false } }),
    usual(audienceCalls.markTestDevice, { id: device.id, optedIn: true, test: true }),
    usual(audienceCalls.listTestDevices, { items: [], nextCursor: null }),
    usual(audienceCalls.deleteUser, {}),
    usual(audienceCalls.findExternalIds, { externalIds: {} }),
    usual(audienceCalls.listUsers, { items: [], nextCursor: null }),
    usual(audienceCalls.readMaskedUser, givenMaskedUser),
    usual(audienceCalls.findUserByAddress, givenMaskedUser),
    usual(audienceCalls.readDevice, givenOwned),
    usual(audienceCalls.listFormerDevices, { subscriptionIds: [], next: null }),
    usual(audienceCalls.exportUsers, { users: [], next: null }),
    usual(audienceCalls.createSegment, segment),
    usual(audienceCalls.listSegments, { items: [segment], nextCursor: null }),
    usual(audienceCalls.readSegment, segment),
    usual(audienceCalls.replaceSegment, segment),
    usual(audienceCalls.deleteSegment, {}),
    usual(audienceCalls.countSegment, counted),
    usual(audienceCalls.previewSegment, counted),
    usual(audienceCalls.readWaves, { waves: [] }),
    usual(audienceCalls.readScan, null),
    usual(audienceCalls.findDevicesOf, null),
    usual(audienceCalls.explainDevices, { startedAt: null, settledAt: null, failure: null, devices: [] }),
    usual(audienceCalls.listTags, givenTags),
    usual(audienceCalls.readCircuits, { circuits: [], slowed: [] }),
    usual(audienceCalls.probeCircuits, { open: 0 }),
    usual(audienceCalls.countDevices, givenDevices),
    usual(audienceCalls.readDeviceDays, { points: [] }),
    usual(audienceCalls.listOpenCircuits, { circuits: [], count: 0 }),
    usual(audienceCalls.eraseAudienceOfApp, { done: true }),
    usual(audienceCalls.startImport, givenImport),
    usual(audienceCalls.readImport, { report: givenImport, header: null, tail: null }),
    usual(audienceCalls.importLot, givenImport),
    usual(audienceCalls.keepImportTail, givenImport),
    usual(audienceCalls.finishImport, { ...givenImport, state: 'finished' }),
    usual(audienceCalls.cancelImport, { ...givenImport, state: 'cancelled' }),
    usual(audienceCalls.listImports, { items: [givenImport], nextCursor: null }),
    usual(audienceCalls.listImportErrors, { items: [], nextCursor: null }),
    usual(audienceCalls.dryRun, givenDryRun),
    usual(audienceCalls.listOpenPushes, { items: [], nextCursor: null }),
    usual(audienceCalls.putActivityToken, { id: device.id }),
    usual(audienceCalls.deleteActivityToken, {}),
  ],
  campaigns: [
    usual(campaignCalls.explainCampaign, null),
    usual(campaignCalls.createCampaign, { id: draftId, status: 'draft', replayed: false }),
    usual(campaignCalls.sendCampaign, { status: 'scheduled', nextAt: '2026-02-03T09:30:10.000Z' }),
    usual(campaignCalls.cancelCampaign, { status: 'cancelled' }),
    usual(campaignCalls.pickWinner, { id: draftId, status: 'sending', nextAt: null }),
    usual(campaignCalls.unsendCampaign, { id: draftId, status: 'draft' }),
    usual(campaignCalls.createTemplate, template),
    usual(campaignCalls.listTemplates, { items: [template], nextCursor: null }),
    usual(campaignCalls.readTemplate, template),
    usual(campaignCalls.replaceTemplate, template),
    usual(campaignCalls.deleteTemplate, {}),
    usual(campaignCalls.createCategory, shop.category),
    usual(campaignCalls.listCategories, { categories: [shop.category] }),
    usual(campaignCalls.replaceCategory, shop.category),
    usual(campaignCalls.deleteCategory, {}),
    usual(campaignCalls.findLeavable, null),
    usual(campaignCalls.readInboxSends, { sends: [] }),
    usual(campaignCalls.summarizeCampaigns, noCampaigns),
    usual(campaignCalls.listCampaigns, { items: [givenCampaign], nextCursor: null }),
    usual(campaignCalls.changeRate, { perMinute: 600, etaSeconds: 120 }),
    usual(campaignCalls.listRuns, { items: [], nextCursor: null }),
    usual(campaignCalls.listOccurrences, { items: [{ at: '2026-02-01T08:00:00.000Z', localDate: '2026-02-01' }] }),
    usual(campaignCalls.getCampaign, givenCampaign),
    usual(campaignCalls.replaceCampaign, givenCampaign),
    usual(campaignCalls.deleteCampaign, {}),
    usual(campaignCalls.duplicateCampaign, givenCampaign),
    usual(campaignCalls.pauseCampaign, { status: 'paused' }),
    usual(campaignCalls.resumeCampaign, { status: 'sending' }),
    usual(campaignCalls.endCampaign, { status: 'cancelled' }),
    usual(campaignCalls.eraseCampaignsOfApp, { done: true }),
    usual(campaignCalls.sendLiveActivity, { id: draftId, status: 'sending', replayed: false }),
    usual(campaignCalls.recallCampaign, { id: newId(), status: 'scheduled', replayed: false }),
    usual(campaignCalls.resolveSend, { send: givenResolved, target: { kind: 'all' }, startsAt: null }),
  ],
  tracker: [
    usual(trackerCalls.explainPushes, { ledger: 'none', fannedOutAt: null, pushes: [] }),
    usual(trackerCalls.readPace, { pace: { pushes: 10_000, seconds: 8 } }),
    usual(trackerCalls.listPushes, { items: [], nextCursor: null }),
    usual(trackerCalls.newestPushes, { pushes: [] }),
    usual(trackerCalls.listConversions, { conversions: [], next: null }),
    usual(trackerCalls.readInbox, { items: [], unread: 0, nextCursor: null }),
    usual(trackerCalls.markInbox, {}),
    usual(trackerCalls.hideInboxItem, {}),
    usual(trackerCalls.exportPushesOfDevice, { pushes: [], next: null }),
    usual(trackerCalls.exportPushesOfCampaign, { pushes: [], next: null }),
    usual(trackerCalls.readProgress, null),
    usual(trackerCalls.countExperiment, null),
    usual(trackerCalls.countUplift, null),
    usual(trackerCalls.readReconciliation, { difference: 0, roundEndedAt: '2026-01-31T08:00:00.000Z' }),
    usual(trackerCalls.listStats, { stats: {} }),
    usual(trackerCalls.verifyCampaign, null),
    usual(trackerCalls.readSeries, { points: [] }),
    usual(trackerCalls.readRecent, quietDays),
    usual(trackerCalls.readCurve, null),
    usual(trackerCalls.readBreakdown, null),
    usual(trackerCalls.eraseTrackerOfApp, { done: true }),
  ],
  dispatcher: [usual(checkProvider, { ok: true, code: null, providerCode: null })],
  webhooks: [
    usual(webhookCalls.eraseWebhooksOfApp, { done: true }),
    usual(webhookCalls.exportDeliveries, { deliveries: [], next: null }),
    usual(webhookCalls.createWebhook, { ...givenWebhook, secret: 'whsec_canary-of-a-webhook' }),
    usual(webhookCalls.listWebhooks, { items: [givenWebhook], nextCursor: null }),
    usual(webhookCalls.readWebhook, givenWebhook),
    usual(webhookCalls.changeWebhook, givenWebhook),
    usual(webhookCalls.deleteWebhook, {}),
    usual(webhookCalls.enableWebhook, givenWebhook),
    usual(webhookCalls.rotateWebhookSecret, { secret: 'whsec_canary-of-a-rotation' }),
    usual(webhookCalls.testWebhook, { status: 204, error: null }),
    usual(webhookCalls.listDeliveries, { items: [], nextCursor: null }),
    usual(webhookCalls.readDelivery, { ...givenDelivery, body: null }),
    usual(webhookCalls.watchEvents, {}),
    usual(webhookCalls.replayDelivery, givenDelivery),
  ],
}
