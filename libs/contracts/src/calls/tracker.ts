import { z } from 'zod'
import { call } from '../call.ts'
import { actionForm, engagementKinds, Listener, type EngagementKind } from '../event.ts'
import { mostExplained } from '../explain.ts'
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
 * What a fan-out has queued so far. `byPlatform`: how many pushes of each platform since the send began; because these are totals, repeating a report
 * changes nothing. `fannedOut`: true when the fan-out has ended. `batches`: the batches made since the last report that was answered. A batch that is
 * in the ledger already is not changed.
 */
export const QueuedReport = z.object({
  campaignId: Id,
  appId: Id,
  day: z.iso.date(),
  name: z.string(),
  transactional: z.boolean(),
  /** True when the send is a test, which no series counts. */
  test: z.literal(true).optional(),
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
 * Tells the tracker which pushes exist, before the pointers at their batches are published. The tracker makes the counters and the ledger's rows.
 * When `fannedOut` becomes true and an endpoint of the app asks for campaign.completed, the tracker announces it. All reports of a call are written
 * in one transaction.
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
 * Writes outcomes to the ledger and the counters; the outcomes of one day are one transaction. A push that already has an outcome keeps it. Nothing is
 * written of a batch that the ledger does not know, as after a restore, and the answer names it in `unknown`. A batch that is older than the ledger's
 * retention, or of a deleted app, is ignored. The time limit is short, because a dispatcher makes one such call at a time, and stops sending when too many of
 * its pushes wait for the answer. So a call that a killed tracker does not answer is soon repeated.
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
  /** The action that the user chose. The tracker passes it on to webhooks and does not store it. */
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
 * Lists the pushes of an app that have an outcome and fit all given filters, newest campaign first (spec: administration/pushes). A page may have
 * fewer pushes than asked for, or none: the list ends only where `nextCursor` is null. Fault: invalid_body at `cursor`.
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
 * Lists the newest pushes of a user to these devices, newest campaign first; only pushes that have an outcome. The devices are searched one after
 * another. When the search has taken 1.5 s, no further device is searched, so the pushes to the last devices are missing.
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
 * Reads the next part of a campaign's pushes in the order of the ledger: about 1,000 that come after the push `after`, also those without an outcome.
 * Null when the campaign is older than the ledger's retention. Fault: invalid_body at `after`.
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

/** Reads the counters of several campaigns of an app, by id. A campaign for which `readStats` answers null is left out. */
export const listStats = call<{ stats: Record<string, Stats> }>()(
  'rpc.tracker.list-stats',
  z.object({ appId: Id, campaignIds: z.array(Id).max(200) }),
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
 * Reads what the reconciler, which compares counters with the ledger, has found. `difference`: by how much
 * counters and ledger of active campaigns differ, added up; 0 when they agree. `roundEndedAt`: when the reconciler last finished checking all active
 * campaigns; null when it has never finished.
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
}
/**
 * Reads from the ledger a campaign's pushes to these devices and, when `userId` is given, to that user, at most 100 pushes in all. `ledger` is `none`
 * when `readStats` answers null, and `past` when the campaign is older than the ledger's retention. `fannedOutAt` (ISO): when the fan-out had
 * reported all its pushes; null before.
 */
export const explainPushes = call<{ ledger: 'none' | 'kept' | 'past'; fannedOutAt: string | null; pushes: ExplainedPush[] }>()(
  'rpc.tracker.explain-pushes',
  z.object({ appId: Id, campaignId: Id, subscriptionIds: z.array(Id).max(mostExplained), userId: Id.nullable() }),
)

/**
 * Measures how fast the app's last large sends were. The answer adds up 5 sends, those that settled last: their pushes (`pushes`), and the seconds
 * from the first page to the last outcome of each (`seconds`). A send counts when it has at least 1,000 pushes, began within 30 days and is among the
 * app's newest 20,000 campaigns. With fewer than 5 such sends all of them are added up; without any the answer is null.
 */
export const readPace = call<{ pace: { pushes: number; seconds: number } | null }>()('rpc.tracker.read-pace', z.object({ appId: Id }))

// What is counted over time (spec: administration/series).

/**
 * Reads an app's counters by the hour or by the UTC day. The first hour or day is the one that contains `from`; without `from` the answer has the
 * last 24 hours or 30 days. The last is the last one that begins before `to`; without `to` it is the present one. Fault: invalid_body at `from` (too
 * long ago, ahead of now, more than 2,000 points or 10,000 counts of codes).
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
