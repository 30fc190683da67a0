import type { FrozenSend } from '@herald/contracts/batch'
import type { AppName, Call } from '@herald/contracts/call'
import * as audienceCalls from '@herald/contracts/calls/audience'
import * as campaignCalls from '@herald/contracts/calls/campaigns'
import { checkProvider } from '@herald/contracts/calls/dispatcher'
import * as trackerCalls from '@herald/contracts/calls/tracker'
import { readStats, trackEvents, type Engagement } from '@herald/contracts/calls/tracker'
import * as webhookCalls from '@herald/contracts/calls/webhooks'
import type { Campaign } from '@herald/contracts/campaign'
import type { AudienceDryRun } from '@herald/contracts/dry-run'
import { fault, type Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { CampaignsSummary, DeviceCounts, RecentCounts } from '@herald/contracts/series'
import type { OwnedDevice, Person } from '@herald/contracts/person'
import type { ImportReport } from '@herald/contracts/import'
import type { Webhook, WebhookDelivery } from '@herald/contracts/webhook'
import { openBus, type Bus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import * as shop from '../http/shop.ts'

type Asked = { subject: string; request: unknown }

/** The apps behind the gateway, played on the same bus, and what they were asked. */
export type Peers = {
  registered: { appId: string; subscription: unknown }[]
  sent: { appId: string; idempotency: { key: string; fingerprint: string } | null; notification: unknown }[]
  tracked: Engagement[][]
  /** The app of each campaign that exists, by campaign id. */
  campaigns: Map<string, string>
  /** The campaigns that are tests: they are over as soon as they are accepted. */
  tests: Set<string>
  /** Every other call of the API, newest last. */
  asked: Asked[]
  /** What the call with this subject answers from now on, in place of its documented example; the function may throw a Fault. */
  answers: Map<string, (request: unknown) => unknown>
  /** When set, a send waits for it once it has been received. */
  beforeSend: ((request: unknown) => Promise<void>) | undefined
  /** When set, every call of the API is refused with it. */
  refusal: Fault | undefined
  stop: () => Promise<void>
}

/** A draft as campaigns shows it. */
export const givenCampaign: Campaign = {
  id: shop.campaignId,
  name: 'Sale',
  status: 'draft',
  transactional: false,
  content: null,
  templateId: null,
  segment: null,
  segmentId: null,
  schedule: { type: 'now' },
  experiment: null,
  silent: true,
  data: {},
  ttl: 2_419_200,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
  recurringOf: null,
  remainderOf: null,
  test: false,
  failure: null,
  cancelling: false,
  nextAt: null,
  missedCount: 0,
  createdAt: '2026-01-31T08:00:00.000Z',
  startedAt: null,
  settledAt: null,
}

/** A send as campaigns resolves it for a dry run. */
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
/** What audience counts for that send: one sample, on Android. */
export const givenDryRun: AudienceDryRun = {
  startsAt: '2026-01-31T08:00:00.000Z',
  audience: { users: 30, byPlatform: { ios: 10, android: 20, web: 5 } },
  estimated: null,
  isWhole: true,
  unreachable: { optedOut: 2, invalidated: 1 },
  skips: [],
  waves: [{ at: '2026-01-31T08:00:00.000Z', devices: 35 }],
  experiment: null,
  locales: [
    { variant: '', locale: 'en', byPlatform: { ios: 10, android: 10, web: 5 }, fallback: 4, missing: 1 },
    { variant: '', locale: 'de', byPlatform: { ios: 0, android: 10, web: 0 }, fallback: 0, missing: 0 },
  ],
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
/** A user and a device as the administration shows them. */
export const givenPerson: Person = { ...givenUser, subscriptions: [maskedDevice], preferences: {} }
export const givenOwned: OwnedDevice = { ...maskedDevice, user: { id: givenUser.id, externalId: givenUser.externalId } }

/** An import that has begun. */
export const givenImport: ImportReport = {
  id: newId(),
  state: 'receiving',
  format: 'csv',
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

export async function startPeers(natsUrl: string): Promise<Peers> {
  const services = (['audience', 'campaigns', 'tracker', 'webhooks', 'dispatcher'] as const).map((name: AppName) =>
    testService(name, { NATS_URL: natsUrl }),
  )
  const [audience, campaigns, tracker, webhooks, dispatcher] = await Promise.all(services.map((service) => openBus(service)))
  if (!audience || !campaigns || !tracker || !webhooks || !dispatcher) throw new Error('five buses were opened')
  const answered = new Map<string, { id: string; fingerprint: string }>()
  const peers: Peers = {
    registered: [],
    sent: [],
    tracked: [],
    campaigns: new Map(),
    tests: new Set(),
    asked: [],
    answers: new Map(),
    beforeSend: undefined,
    refusal: undefined,
    stop: async () => void (await Promise.all(services.map((service) => service.stop()))),
  }
  /** Answers a call as documented, unless a test says otherwise. */
  const play = <Request, Answer>(bus: Bus, contract: Call<Request, Answer>, answer: Answer) =>
    bus.answer(contract, async (request) => {
      if (peers.refusal) throw peers.refusal
      peers.asked.push({ subject: contract.subject, request })
      const other = peers.answers.get(contract.subject)
      return other === undefined ? answer : ((await other(request)) as Answer)
    })

  audience.answer(audienceCalls.registerSubscription, async (request) => {
    peers.registered.push(request)
    if (peers.refusal) throw peers.refusal
    return { id: newId(), platform: request.subscription.platform, userId: newId() }
  })
  const { device, user, segment, counted } = shop
  play(audience, audienceCalls.rotateSubscription, { id: device.id })
  play(audience, audienceCalls.patchSubscription, { id: device.id, optedIn: false })
  play(audience, audienceCalls.deleteSubscription, {})
  play(audience, audienceCalls.startSession, { id: device.id, sessionCount: 18, lastSessionAt: device.lastSessionAt })
  play(audience, audienceCalls.loginSubscription, { userId: user.id, externalId: user.externalId })
  play(audience, audienceCalls.logoutSubscription, { userId: user.id })
  play(audience, audienceCalls.changeOwner, { userId: user.id, tags: user.tags })
  play(audience, audienceCalls.readUser, user)
  play(audience, audienceCalls.changeUser, user)
  audience.answer(audienceCalls.changeUsers, async (request) => {
    peers.asked.push({ subject: audienceCalls.changeUsers.subject, request })
    if (peers.refusal) throw peers.refusal
    return { users: request.users.map(() => ({ id: user.id, created: false })) }
  })
  play(audience, audienceCalls.markTestDevice, { id: device.id, optedIn: true, test: true })
  play(audience, audienceCalls.listTestDevices, { items: [], nextCursor: null })
  play(audience, audienceCalls.deleteUser, {})
  play(audience, audienceCalls.listUsers, { items: [], nextCursor: null })
  play(audience, audienceCalls.readPerson, givenPerson)
  play(audience, audienceCalls.findPerson, givenPerson)
  play(audience, audienceCalls.readDevice, givenOwned)
  play(audience, audienceCalls.listFormerDevices, { subscriptionIds: [], next: null })
  play(audience, audienceCalls.exportUsers, { users: [], next: null })
  play(audience, audienceCalls.createSegment, segment)
  play(audience, audienceCalls.listSegments, { items: [segment], nextCursor: null })
  play(audience, audienceCalls.readSegment, segment)
  play(audience, audienceCalls.replaceSegment, segment)
  play(audience, audienceCalls.deleteSegment, {})
  play(audience, audienceCalls.countSegment, counted)
  play(audience, audienceCalls.previewSegment, counted)
  play(audience, audienceCalls.readWaves, { waves: [] })
  play(campaigns, campaignCalls.explainCampaign, null)
  play(audience, audienceCalls.findDevicesOf, null)
  play(audience, audienceCalls.explainDevices, { startedAt: null, settledAt: null, failure: null, devices: [] })
  play(tracker, trackerCalls.explainPushes, { ledger: 'none', fannedOutAt: null, pushes: [] })
  play(audience, audienceCalls.listTags, givenTags)
  play(audience, audienceCalls.readCircuits, { circuits: [] })
  play(audience, audienceCalls.probeCircuits, { open: 0 })
  play(audience, audienceCalls.countDevices, givenDevices)
  play(audience, audienceCalls.readDeviceDays, { points: [] })
  play(audience, audienceCalls.listOpenCircuits, { circuits: [], count: 0 })
  play(dispatcher, checkProvider, { ok: true, code: null, providerCode: null })
  play(audience, audienceCalls.eraseAudienceOfApp, { done: true })
  play(audience, audienceCalls.startImport, givenImport)
  play(audience, audienceCalls.readImport, { report: givenImport, header: null, tail: null })
  play(audience, audienceCalls.importLot, givenImport)
  play(audience, audienceCalls.keepImportTail, givenImport)
  play(audience, audienceCalls.finishImport, { ...givenImport, state: 'finished' })
  play(audience, audienceCalls.cancelImport, { ...givenImport, state: 'cancelled' })
  play(audience, audienceCalls.listImports, { items: [givenImport], nextCursor: null })
  play(audience, audienceCalls.listImportErrors, { items: [], nextCursor: null })

  campaigns.answer(campaignCalls.sendNotification, async (request) => {
    peers.sent.push(request)
    const { appId, idempotency } = request
    await peers.beforeSend?.(request)
    if (peers.refusal) throw peers.refusal
    const earlier = idempotency && answered.get(`${appId} ${idempotency.key}`)
    if (earlier && earlier.fingerprint !== idempotency.fingerprint) throw fault('idempotency_key_reused', 'Another request had this key.')
    const id = earlier?.id ?? newId()
    if (idempotency) answered.set(`${appId} ${idempotency.key}`, { id, fingerprint: idempotency.fingerprint })
    peers.campaigns.set(id, appId)
    return { id, status: 'sending', replayed: Boolean(earlier) }
  })
  campaigns.answer(campaignCalls.sendTest, async (request) => {
    if (peers.refusal) throw peers.refusal
    peers.asked.push({ subject: campaignCalls.sendTest.subject, request })
    const { appId, idempotency } = request
    const earlier = idempotency && answered.get(`${appId} ${idempotency.key}`)
    const id = earlier?.id ?? newId()
    if (idempotency) answered.set(`${appId} ${idempotency.key}`, { id, fingerprint: idempotency.fingerprint })
    peers.campaigns.set(id, appId)
    peers.tests.add(id)
    return { id, status: 'sending' as const, replayed: Boolean(earlier), notQueued: [] }
  })
  campaigns.answer(campaignCalls.readCampaign, async (request) => {
    if (peers.refusal) throw peers.refusal
    const other = peers.answers.get(campaignCalls.readCampaign.subject)
    if (other) return (await other(request)) as Campaign | null
    if (peers.campaigns.get(request.campaignId) !== request.appId) return null
    const status = peers.tests.has(request.campaignId) ? ('sent' as const) : ('sending' as const)
    return { ...givenCampaign, id: request.campaignId, name: 'notification', status, transactional: true }
  })
  const { template, campaignId: draftId } = shop
  play(campaigns, campaignCalls.createCampaign, { id: draftId, status: 'draft', replayed: false })
  play(campaigns, campaignCalls.sendCampaign, { status: 'scheduled' })
  play(campaigns, campaignCalls.cancelCampaign, { status: 'cancelled' })
  play(campaigns, campaignCalls.pickWinner, { id: draftId, status: 'sending' })
  play(campaigns, campaignCalls.createTemplate, template)
  play(campaigns, campaignCalls.listTemplates, { items: [template], nextCursor: null })
  play(campaigns, campaignCalls.readTemplate, template)
  play(campaigns, campaignCalls.replaceTemplate, template)
  play(campaigns, campaignCalls.deleteTemplate, {})
  play(campaigns, campaignCalls.summarizeCampaigns, noCampaigns)
  play(campaigns, campaignCalls.listCampaigns, { items: [givenCampaign], nextCursor: null })
  play(campaigns, campaignCalls.listRuns, { items: [], nextCursor: null })
  play(campaigns, campaignCalls.getCampaign, givenCampaign)
  play(campaigns, campaignCalls.replaceCampaign, givenCampaign)
  play(campaigns, campaignCalls.deleteCampaign, {})
  play(campaigns, campaignCalls.duplicateCampaign, givenCampaign)
  play(campaigns, campaignCalls.pauseCampaign, { status: 'paused' })
  play(campaigns, campaignCalls.resumeCampaign, { status: 'sending' })
  play(campaigns, campaignCalls.endCampaign, { status: 'cancelled' })
  play(campaigns, campaignCalls.eraseCampaignsOfApp, { done: true })

  tracker.answer(readStats, async ({ appId, campaignId }) =>
    peers.campaigns.get(campaignId) === appId && peers.tracked.length > 0
      ? { stats: { queued: 4, sent: 3, failed: 1, skipped: 0, delivered: 2, opened: 1, clicked: 0, dismissed: 0 } }
      : null,
  )
  tracker.answer(trackEvents, async ({ engagements }) => {
    if (peers.refusal) throw peers.refusal
    peers.tracked.push(engagements)
    return { counted: engagements.length }
  })
  play(campaigns, campaignCalls.resolveSend, { send: givenResolved, target: { kind: 'all' }, startsAt: null })
  play(audience, audienceCalls.dryRun, givenDryRun)
  play(tracker, trackerCalls.readPace, { pace: { pushes: 10_000, seconds: 8 } })
  play(audience, audienceCalls.listOpenPushes, { items: [], nextCursor: null })
  play(tracker, trackerCalls.listPushes, { items: [], nextCursor: null })
  play(tracker, trackerCalls.newestPushes, { pushes: [] })
  play(tracker, trackerCalls.exportPushesOfDevice, { pushes: [], next: null })
  play(tracker, trackerCalls.exportPushesOfCampaign, { pushes: [], next: null })
  play(tracker, trackerCalls.readProgress, null)
  play(tracker, trackerCalls.readReconciliation, { difference: 0, roundEndedAt: '2026-01-31T08:00:00.000Z' })
  play(tracker, trackerCalls.listStats, { stats: {} })
  play(tracker, trackerCalls.verifyCampaign, null)
  play(tracker, trackerCalls.readSeries, { points: [] })
  play(tracker, trackerCalls.readRecent, quietDays)
  play(tracker, trackerCalls.readCurve, null)
  play(tracker, trackerCalls.readBreakdown, null)
  play(tracker, trackerCalls.eraseTrackerOfApp, { done: true })
  play(webhooks, webhookCalls.eraseWebhooksOfApp, { done: true })
  play(webhooks, webhookCalls.exportDeliveries, { deliveries: [], next: null })
  play(webhooks, webhookCalls.createWebhook, { ...givenWebhook, secret: 'whsec_canary-of-a-webhook' })
  play(webhooks, webhookCalls.listWebhooks, { items: [givenWebhook], nextCursor: null })
  play(webhooks, webhookCalls.readWebhook, givenWebhook)
  play(webhooks, webhookCalls.changeWebhook, givenWebhook)
  play(webhooks, webhookCalls.deleteWebhook, {})
  play(webhooks, webhookCalls.enableWebhook, givenWebhook)
  play(webhooks, webhookCalls.rotateWebhookSecret, { secret: 'whsec_canary-of-a-rotation' })
  play(webhooks, webhookCalls.testWebhook, { status: 204, error: null })
  play(webhooks, webhookCalls.listDeliveries, { items: [], nextCursor: null })
  play(webhooks, webhookCalls.readDelivery, { ...givenDelivery, body: null })
  play(webhooks, webhookCalls.watchEvents, {})
  play(webhooks, webhookCalls.replayDelivery, givenDelivery)
  return peers
}
