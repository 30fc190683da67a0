import { z } from 'zod'
import { call } from '../call.ts'
import { Attribution, ConversionName, mostConversions, type AttributedHow, type StoredConversion } from '../conversion.ts'
import { actionForm, engagementKinds, Listener, type EngagementKind } from '../event.ts'
import { CountedBy, type CountedExperiment, type CountedUplift } from '../experiment-report.ts'
import { mostExplained } from '../explain.ts'
import { MarkInbox, mostUnread } from '../inbox.ts'
import { BatchOutcomes, mostPlaces, outcomes, type Attempt, type EndOfPlaces, type OutcomeKind } from '../outcome.ts'
import type { ExportedPush } from '../person.ts'
import { perPlatform, platforms, type Platform } from '../platform.ts'
import { seriesBuckets, type Breakdown, type Curve, type RecentCounts, type Series } from '../series.ts'
import type { Stats } from '../stats.ts'
import { Id } from '../text.ts'

const Count = z.number().int().min(0)

/** The ids of a batch in one text: base64 of 12 bytes for each id (compact-ids.ts, `packIds`), which is 16 characters without padding. */
const Ids = z
  .string()
  .min(16)
  .max(16 * mostPlaces)
  .regex(/^[A-Za-z0-9+/]+$/)
  .refine((ids) => ids.length % 16 === 0, 'is 16 characters for each id')

/** A batch as it was queued: the devices of its pushes, in the order of their places, and the user who owned each device. */
export const QueuedBatch = z
  .object({ no: z.number().int().min(1), platform: z.enum(platforms), subscriptionIds: Ids, userIds: Ids })
  .refine(({ subscriptionIds, userIds }) => subscriptionIds.length === userIds.length, 'each push has a device and a user')
export type QueuedBatch = z.infer<typeof QueuedBatch>

/**
 * What a fan-out has queued. `byPlatform`: totals since the send began, so repeating a report changes nothing. `fannedOut`: it has ended. `batches`:
 * those made since the last answered report; the ledger keeps known ones unchanged.
 */
export const QueuedReport = z.object({
  campaignId: Id,
  appId: Id,
  day: z.iso.date(),
  name: z.string(),
  transactional: z.boolean(),
  /** True when the send is a test, which no series counts. */
  test: z.literal(true).optional(),
  /** True when the send shows nothing, so that nobody can convert because of having seen it. */
  silent: z.literal(true).optional(),
  /** True when people find the send in their inbox. */
  inbox: z.literal(true).optional(),
  byPlatform: z.object(perPlatform(() => Count)),
  fannedOut: z.boolean(),
  batches: z.array(QueuedBatch).max(200),
})
export type QueuedReport = z.infer<typeof QueuedReport>

/**
 * The batches in all reports of one call hold at most this many pushes together, which take about 640 kB. For more pushes audience makes several
 * calls.
 */
export const mostPushesReported = 20_000
const pushesOf = (reports: QueuedReport[]): number =>
  reports.reduce((sum, { batches }) => batches.reduce((ofReport, { userIds }) => ofReport + userIds.length / 16, sum), 0)

/**
 * Tells the tracker which pushes exist, before the pointers at their batches are published; one transaction. When `fannedOut` becomes true, the
 * tracker announces campaign.completed to endpoints that ask for it.
 */
export const reportQueued = call<Record<string, never>>()(
  'rpc.tracker.report-queued',
  z.object({
    reports: z
      .array(QueuedReport)
      .min(1)
      .max(200)
      .refine((reports) => pushesOf(reports) <= mostPushesReported, `at most ${mostPushesReported} pushes in a call`),
  }),
)

/** The number of a batch in its campaign, as in BatchOutcomes. */
export type UnknownBatch = { campaignId: string; no: number }

/**
 * Writes outcomes; those of one day are one transaction. A push keeps its first outcome. `unknown`: batches not in the ledger. Those past retention
 * or of deleted apps are ignored. The limit is short: dispatchers call one at a time.
 */
export const recordOutcomes = call<{ recorded: number; unknown?: UnknownBatch[] }>()(
  'rpc.tracker.record-outcomes',
  z.object({ batches: z.array(BatchOutcomes).min(1).max(200) }),
)

/**
 * Reads which pushes of a batch have an outcome, and since when (ISO). A dispatcher asks this after every take of a batch but the first. `no`: as in
 * BatchOutcomes.
 */
export const readOutcomesOfBatch = call<{ results: (EndOfPlaces & { at: string })[] }>()(
  'rpc.tracker.read-settled',
  z.object({ day: z.iso.date(), campaignId: Id, no: z.number().int().min(1) }),
)

export const Engagement = z.object({
  kind: z.enum(engagementKinds),
  appId: Id,
  campaignId: Id,
  userId: Id,
  subscriptionId: Id,
  platform: z.enum(platforms),
  variant: z.string(),
  /** The action that the user chose. The tracker counts clicks by it and passes it on to webhooks. */
  action: z.string().regex(actionForm).optional(),
})
export type Engagement = z.infer<typeof Engagement>

/**
 * Counts what devices report, each kind of report once for a push. A report is ignored when its campaign is unknown, of another app, or older than
 * the ledger's retention.
 */
export const trackEvents = call<{ counted: number }>()(
  'rpc.tracker.track-events',
  z.object({ engagements: z.array(Engagement).min(1).max(200) }),
)

/**
 * Reads a campaign's counters. Null when the app has no such counters: before the fan-out of the campaign has reported (`reportQueued`), after the
 * counters' retention, and for a campaign of another app.
 */
export const readStats = call<{ stats: Stats } | null>()('rpc.tracker.read-stats', z.object({ appId: Id, campaignId: Id }))

/** A push of the ledger that has an outcome, as `/v1/admin/apps/:appId/pushes` answers it. */
export type LedgerRow = {
  campaignId: string
  subscriptionId: string
  userId: string
  platform: Platform
  variant: string | null
  outcome: OutcomeKind
  code: string | null
  providerCode: string | null
  attempts: number
  settledAt: string
  /** What the device reported of the push, in the order in which the reports came. */
  engagements: EngagementKind[]
}

/**
 * Lists the pushes of an app with an outcome that fit all filters, newest campaign first (spec: administration/pushes). A page may be short or empty:
 * only a null `nextCursor` ends the list. Fault: invalid_body at `cursor`.
 */
export const listPushes = call<{ items: LedgerRow[]; nextCursor: string | null }>()(
  'rpc.tracker.list-pushes',
  z.object({
    appId: Id,
    campaignId: Id.optional(),
    userId: Id.optional(),
    subscriptionId: Id.optional(),
    outcome: z.enum(outcomes).optional(),
    code: z.string().max(64).optional(),
    platform: z.enum(platforms).optional(),
    /** Only pushes that ended at `from` or later, and before `to`. */
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    limit: z.number().int().min(1).max(200),
    cursor: z.string().max(200).optional(),
  }),
)

/**
 * Lists the newest pushes with an outcome of a user to these devices, newest campaign first. After 1.5 s no further device is searched, so those of
 * the last devices are missing.
 */
export const newestPushes = call<{ pushes: LedgerRow[] }>()(
  'rpc.tracker.newest-pushes',
  z.object({ appId: Id, userId: Id, subscriptionIds: z.array(Id).max(200), limit: z.number().int().min(1).max(200) }),
)

const Portion = { appId: Id, after: z.string().max(200).nullable() }
/**
 * Reads the next part of a user's pushes to one device that have an outcome, newest campaign first. `next` is the `after` of the part that follows;
 * null after the last part.
 */
export const exportPushesOfDevice = call<{ pushes: ExportedPush[]; next: string | null }>()(
  'rpc.tracker.export-pushes-of-device',
  z.object({ ...Portion, userId: Id, subscriptionId: Id }),
)
/**
 * Reads about 1,000 pushes of a campaign after the push `after`, in the order of the ledger, also those without an outcome. Null when older than the
 * ledger's retention. Fault: invalid_body at `after`.
 */
export const exportPushesOfCampaign = call<{ pushes: ExportedPush[]; next: string | null } | null>()(
  'rpc.tracker.export-pushes-of-campaign',
  z.object({ ...Portion, campaignId: Id }),
  8_000,
)

/**
 * Reads the next part of an app's accepted pushes, newest campaign first: devices, grouped by the time at which they were sent to. `next` is the
 * `after` of the part that follows; null after the last part.
 */
export const readNotified = call<{ notified: { at: string; subscriptionIds: string[] }[]; next: string | null }>()(
  'rpc.tracker.read-notified',
  z.object({ appId: Id, after: z.string().max(200).nullable() }),
  8_000,
)

/** Finds when these devices were last sent to. A device to which the ledger has no sent push is left out. */
export const findLastNotified = call<{ notified: { subscriptionId: string; at: string }[] }>()(
  'rpc.tracker.find-last-notified',
  z.object({ appId: Id, subscriptionIds: z.array(Id).max(100) }),
)

/**
 * Webhooks tells the tracker which events the endpoints and watching operators of an app ask for; the tracker announces no others. A request that
 * makes an endpoint is answered only after this call.
 */
export const hearTrackerListeners = call<Record<string, never>>()(
  'rpc.tracker.hear-listeners',
  z.object({ listeners: z.array(Listener).min(1).max(200) }),
)

/** Webhooks tells the tracker that it has committed the events of these announcements. The tracker then deletes the announcements. */
export const confirmTrackerAnnouncements = call<Record<string, never>>()(
  'rpc.tracker.confirm-announcements',
  z.object({ announcementIds: z.array(Id).max(1000) }),
)

/** Finds those of these devices whose push of the campaign has an outcome. The answer is empty for a campaign older than the ledger's retention. */
export const findPushesWithOutcome = call<{ subscriptionIds: string[] }>()(
  'rpc.tracker.find-settled',
  z.object({ campaignId: Id, subscriptionIds: z.array(Id).max(5000) }),
)

/**
 * Lists the devices, and the users then, to whom a campaign was sent, in portions in the order of the ledger. `unopened`: only those that reported no
 * open. `next` is the `after` of the next portion. Null as `exportPushesOfCampaign`.
 */
export const listReached = call<{ devices: { subscriptionId: string; userId: string }[]; next: string | null } | null>()(
  'rpc.tracker.list-reached',
  z.object({ ...Portion, campaignId: Id, unopened: z.boolean() }),
  8_000,
)

/** How far a send has come. */
export type Progress = {
  stats: Stats
  /** By platform: the pushes that are queued, and how many of them have an outcome. */
  byPlatform: Record<Platform, { queued: number; settled: number }>
  fannedOut: boolean
  /** Whether the fan-out is over and every queued push has an outcome. */
  settled: boolean
}
/** Reads how far a send has come. Null when `readStats` answers null. */
export const readProgress = call<Progress | null>()('rpc.tracker.read-progress', z.object({ appId: Id, campaignId: Id }))

/**
 * Reads the counters of several campaigns of an app, by id. A campaign for which `readStats` answers null is left out; with `platform` also one that
 * has queued no push of it.
 */
export const listStats = call<{ stats: Record<string, Stats> }>()(
  'rpc.tracker.list-stats',
  z.object({ appId: Id, campaignIds: z.array(Id).max(200), platform: z.enum(platforms).optional() }),
)

/**
 * The result of counting a campaign's ledger anew and comparing it with the campaign's counters. `difference`: by how much the counters are off,
 * added up over all counters; 0 when ledger and counters agree.
 */
export type Verification = {
  campaignId: string
  agrees: boolean
  difference: number
  counters: Stats
  ledger: Stats
}
/**
 * Counts a campaign's ledger anew in one snapshot and compares the result with its counters. Null when the campaign is unknown or older than the
 * ledger's retention.
 */
export const verifyCampaign = call<Verification | null>()('rpc.tracker.verify-campaign', z.object({ appId: Id, campaignId: Id }), 30_000)

/**
 * Reads what the reconciler has found. `difference`: by how much counters and ledger of active campaigns differ, added up. `roundEndedAt`: when it
 * last finished all active campaigns; null when never.
 */
export const readReconciliation = call<{ difference: number; roundEndedAt: string | null }>()(
  'rpc.tracker.read-reconciliation',
  z.object({}),
)

/** Deletes a part of the rows of a deleted app. The gateway repeats the call until the answer is `done`. */
export const eraseTrackerOfApp = call<{ done: boolean }>()('rpc.tracker.erase-app', z.object({ appId: Id }), 10_000)

/**
 * A push of a campaign, as the ledger has it. `end` is null while the push has no outcome. `trail`: the provider's answers to the attempts before the
 * last one.
 */
export type ExplainedPush = {
  subscriptionId: string
  userId: string
  platform: Platform
  /** The number of the batch in which the push was queued. */
  no: number
  end: { outcome: OutcomeKind; code: string; providerCode: string; attempts: number; at: string } | null
  trail: Attempt[]
  reports: { kind: EngagementKind; at: string }[]
  /** The user's conversions that are attributed to the campaign, earliest first. Left out when there is none. */
  conversions?: { name: string; at: string; how: AttributedHow }[]
}
/**
 * Reads from the ledger at most 100 pushes of a campaign to these devices and to the user of `userId`. `ledger`: `none` when `readStats` answers
 * null, `past` after its retention. `fannedOutAt` (ISO): null before all are reported.
 */
export const explainPushes = call<{ ledger: 'none' | 'kept' | 'past'; fannedOutAt: string | null; pushes: ExplainedPush[] }>()(
  'rpc.tracker.explain-pushes',
  z.object({ appId: Id, campaignId: Id, subscriptionIds: z.array(Id).max(mostExplained), userId: Id.nullable() }),
)

/**
 * Adds up pushes and seconds (first page to last outcome) of the app's last 5 settled sends; fewer when there are fewer, null without any. Only sends
 * of 1,000 pushes or more, within 30 days and the newest 20,000 campaigns.
 */
export const readPace = call<{ pace: { pushes: number; seconds: number } | null }>()('rpc.tracker.read-pace', z.object({ appId: Id }))

// Conversions (spec: conversions/report).

/** A call carries at most this many conversions. */
export const conversionsAtOnce = 100
/** A conversion as the gateway passes it on, with the user and the user's devices, present and former. `push`: what a given msgId names. */
export const ToldConversion = z.object({
  id: z.string().min(1).max(256),
  name: ConversionName,
  at: z.iso.datetime(),
  /** A decimal number with at most 4 decimals. */
  value: z.string().max(32).nullable(),
  currency: z.string().length(3).nullable(),
  userId: Id,
  subscriptionIds: z.array(Id).max(200),
  /** True when a public key reported it. */
  open: z.literal(true).optional(),
  push: z.object({ campaignId: Id, userId: Id, subscriptionId: Id, platform: z.enum(platforms), variant: z.string() }).nullable(),
})
export type ToldConversion = z.infer<typeof ToldConversion>

export type AttributedTo = { campaignId: string; how: AttributedHow }
/** What became of one conversion. `refused`: `at` is out of range, or the app has as many names as it may. */
export type RecordedConversion =
  | { status: 'counted' | 'duplicate'; attribution: AttributedTo | null }
  | { status: 'unknown_user' }
  | { status: 'refused'; path: 'at' | 'name'; message: string }

/**
 * Counts conversions, each id once, and attributes each new one to the push that may have led to it. Answers after the commit, in the order given. A
 * repeat with the same times changes nothing.
 */
export const recordConversions = call<{ results: RecordedConversion[] }>()(
  'rpc.tracker.record-conversions',
  z.object({ appId: Id, attribution: Attribution, conversions: z.array(ToldConversion).min(1).max(conversionsAtOnce) }),
  6_000,
)

/**
 * Reads the next conversions of a user, newest first. `next` is the `after` of the part that follows; null after the last part. Fault: invalid_body at
 * `after`.
 */
export const listConversions = call<{ conversions: StoredConversion[]; next: string | null }>()(
  'rpc.tracker.list-conversions',
  z.object({ ...Portion, userId: Id, limit: z.number().int().min(1).max(mostConversions) }),
)

/** Deletes the conversions of an erased user, and lets no more of them be counted. Audience repeats the call until it is answered. */
export const eraseTrackerOfUser = call<Record<string, never>>()('rpc.tracker.erase-user', z.object({ appId: Id, userId: Id }), 10_000)

// Experiments and the hold-out (spec: experiments/report, experiments/uplift).

/**
 * Counts the users of an experiment by variant, in one snapshot, at most once a minute in a process. Null before the fan-out has reported, and after
 * the ledger's retention.
 */
export const countExperiment = call<CountedExperiment | null>()('rpc.tracker.count-experiment', CountedBy, 30_000)

/**
 * Counts users who were held out or not, and those of them who converted in the time, of one campaign or of all that began in it. Null as with
 * `countExperiment`. Fault: invalid_body at `from` (too many pushes).
 */
export const countUplift = call<CountedUplift | null>()(
  'rpc.tracker.count-uplift',
  z.object({
    appId: Id,
    conversion: ConversionName,
    of: z.union([
      z.object({ campaignId: Id, windowHours: z.number().int().min(1).max(720) }),
      z.object({ from: z.iso.datetime(), to: z.iso.datetime() }),
    ]),
  }),
  30_000,
)

// What is counted over time (spec: administration/series).

/**
 * Reads an app's counters by hour or UTC day, from the one of `from` (else the last 24 hours or 30 days) to before `to`. Fault: invalid_body at
 * `from` (out of range, over 2,000 points or 10,000 codes).
 */
export const readSeries = call<Series>()(
  'rpc.tracker.read-series',
  z.object({
    appId: Id,
    from: z.iso.datetime().nullable(),
    to: z.iso.datetime().nullable(),
    bucket: z.enum(seriesBuckets),
    by: z.enum(['platform', 'code']).nullable(),
  }),
)

/** Reads an app's counters of the present hour and the 23 before it, of the 24 hours before those, and of each of the last 30 UTC days. */
export const readRecent = call<RecentCounts>()('rpc.tracker.read-recent', z.object({ appId: Id }))

/** Reads the curve of what devices reported about a campaign. Null when `readStats` answers null. */
export const readCurve = call<Curve | null>()('rpc.tracker.read-curve', z.object({ appId: Id, campaignId: Id }))
export const readBreakdown = call<Breakdown | null>()('rpc.tracker.read-breakdown', z.object({ appId: Id, campaignId: Id }))

// The inbox (spec: inbox/list).

/** An item of a person's inbox without its text. `variant`: the one that the person got; null without an experiment. */
export type InboxPush = { campaignId: string; variant: string | null; sentAt: string; readAt: string | null; opened: boolean }

/**
 * Lists a person's inbox: their pushes to these devices of the last `days`, one for each send, newest first. A page may be short: only a null
 * `nextCursor` ends the list. `unread`: among the newest 100. Fault: invalid_body at `cursor`.
 */
export const readInbox = call<{ items: InboxPush[]; unread: number; nextCursor: string | null }>()(
  'rpc.tracker.read-inbox',
  z.object({
    appId: Id,
    userId: Id,
    subscriptionIds: z.array(Id).max(100),
    days: z.number().int().min(1).max(90),
    limit: z.number().int().min(1).max(mostUnread),
    cursor: z.string().max(200).optional(),
  }),
)

const OfPerson = z.object({ appId: Id, userId: Id })
/** Marks items of a person's inbox as read or unread. Ids that are no send of an inbox change nothing. */
export const markInbox = call<Record<string, never>>()('rpc.tracker.mark-inbox', OfPerson.extend({ mark: MarkInbox }))
/** Hides an item of a person's inbox for good. */
export const hideInboxItem = call<Record<string, never>>()('rpc.tracker.hide-inbox-item', OfPerson.extend({ campaignId: Id }))
/** Takes a campaign out of all inboxes for good, since it was dismissed. Campaigns repeats the call until it is answered. */
export const dropFromInboxes = call<Record<string, never>>()('rpc.tracker.drop-from-inboxes', z.object({ appId: Id, campaignId: Id }))
