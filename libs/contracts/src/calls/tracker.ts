import { z } from 'zod'
import { call } from '../call.ts'
import { actionForm, engagementKinds, Listener, type EngagementKind } from '../event.ts'
import { mostExplained } from '../explain.ts'
import { BatchOutcomes, mostPlaces, outcomes, type Attempt, type EndOfPlaces, type OutcomeKind } from '../outcome.ts'
import type { ExportedPush } from '../person.ts'
import { perPlatform, platforms, type Platform } from '../platform.ts'
import { seriesBuckets, type Breakdown, type Curve, type RecentCounts, type Series } from '../series.ts'
import type { Stats } from '../stats.ts'

const Id = z.string().length(24)
const Count = z.number().int().min(0)

/** Ids of a batch, one after another: base64 of 12 bytes each (ids.ts, `packIds`), 16 characters without padding. */
const Ids = z
  .string()
  .min(16)
  .max(16 * mostPlaces)
  .regex(/^[A-Za-z0-9+/]+$/)
  .refine((ids) => ids.length % 16 === 0, 'is 16 characters for each id')

/** A batch as it was queued: the devices of its pushes, in the order of their places, and the users who owned them. */
export const QueuedBatch = z
  .object({ no: z.number().int().min(1), platform: z.enum(platforms), subscriptionIds: Ids, userIds: Ids })
  .refine(({ subscriptionIds, userIds }) => subscriptionIds.length === userIds.length, 'each push has a device and a user')
export type QueuedBatch = z.infer<typeof QueuedBatch>

/**
 * How many pushes a fan-out has queued so far. The numbers are cumulative, so that a repeat changes nothing. `batches` are those made since the last report that was
 * answered. A batch that the ledger has already stays as it is.
 */
export const QueuedReport = z.object({
  campaignId: Id,
  appId: Id,
  day: z.iso.date(),
  name: z.string(),
  transactional: z.boolean(),
  /** The send is a test, which is counted in no series. */
  test: z.literal(true).optional(),
  byPlatform: z.object(perPlatform(() => Count)),
  fannedOut: z.boolean(),
  batches: z.array(QueuedBatch).max(200),
})
export type QueuedReport = z.infer<typeof QueuedReport>

/** The reports of a call hold at most this many pushes, ~640 kB. Audience makes several calls for more. */
export const mostPushesReported = 20_000
const pushesOf = (reports: QueuedReport[]): number =>
  reports.reduce((sum, { batches }) => batches.reduce((ofReport, { userIds }) => ofReport + userIds.length / 16, sum), 0)

/**
 * Tells the ledger which pushes there are, before their pointers are published. It makes the counters and the rows that outcomes are written to, and announces
 * campaign.completed when `fannedOut` becomes true. All reports of a call are one transaction.
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

/**
 * Writes outcomes to the ledger and the counters, those of a day in one transaction. A push that has an outcome keeps it. A batch that was never reported is a
 * mistake, and nothing of its day is written; a batch past the ledger's retention, or of a deleted app, is ignored. A dispatcher has one such call under
 * way and sends nothing more once its window is full. So a call that a killed tracker does not answer is soon made again.
 */
export const recordOutcomes = call<{ recorded: number }>()(
  'rpc.tracker.record-outcomes',
  z.object({ batches: z.array(BatchOutcomes).min(1).max(200) }),
)

/** Which pushes of a batch have an outcome already, and since when (ISO): asked by every take above the first. `no`: as in BatchOutcomes. */
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
  /** Webhooks is told of it; it is not stored. */
  action: z.string().regex(actionForm).optional(),
})
export type Engagement = z.infer<typeof Engagement>

/** Counts what devices report, each kind once for a push. Reports about a campaign that is no longer known are ignored. */
export const trackEvents = call<{ counted: number }>()(
  'rpc.tracker.track-events',
  z.object({ engagements: z.array(Engagement).min(1).max(200) }),
)

/** A campaign's counters; null when nothing was ever queued for it or they are past retention. */
export const readStats = call<{ stats: Stats } | null>()('rpc.tracker.read-stats', z.object({ appId: Id, campaignId: Id }))

/** One row of the ledger, as `/v1/admin/apps/:appId/pushes` answers it. */
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
  /** What the device reported of it, in the order it came. */
  engagements: EngagementKind[]
}

/**
 * The ledger of an app, newest campaign first, by any of the filters (spec: administration/pushes). A page may hold fewer than
 * asked for, even none: it ends only when `nextCursor` is null.
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
    /** When the push ended: not before `from`, and before `to`. */
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    limit: z.number().int().min(1).max(200),
    cursor: z.string().max(200).optional(),
  }),
)

/** The newest pushes of a user to these devices that have an outcome, newest campaign first. */
export const newestPushes = call<{ pushes: LedgerRow[] }>()(
  'rpc.tracker.newest-pushes',
  z.object({ appId: Id, userId: Id, subscriptionIds: z.array(Id).max(200), limit: z.number().int().min(1).max(200) }),
)

const Portion = { appId: Id, after: z.string().max(200).nullable() }
/** A portion of a user's pushes to one device that have an outcome, newest campaign first. `next` is the `after` of the next portion; null after the last one. */
export const exportPushesOfDevice = call<{ pushes: ExportedPush[]; next: string | null }>()(
  'rpc.tracker.export-pushes-of-device',
  z.object({ ...Portion, userId: Id, subscriptionId: Id }),
)
/**
 * A portion of a campaign's ledger, in its order, with pushes that have no outcome yet: about 1,000 pushes after the place `after`. Null when the campaign is past the
 * ledger's retention. Fault: invalid_body at `after`.
 */
export const exportPushesOfCampaign = call<{ pushes: ExportedPush[]; next: string | null } | null>()(
  'rpc.tracker.export-pushes-of-campaign',
  z.object({ ...Portion, campaignId: Id }),
  8_000,
)

/**
 * A portion of an app's accepted pushes, newest campaign first: devices by the moment when they were sent to. `next` is the `after` of the next
 * portion; null after the last one.
 */
export const readNotified = call<{ notified: { at: string; subscriptionIds: string[] }[]; next: string | null }>()(
  'rpc.tracker.read-notified',
  z.object({ appId: Id, after: z.string().max(200).nullable() }),
  8_000,
)

/** When these devices were last sent to. A device that was never sent to is left out. */
export const findLastNotified = call<{ notified: { subscriptionId: string; at: string }[] }>()(
  'rpc.tracker.find-last-notified',
  z.object({ appId: Id, subscriptionIds: z.array(Id).max(100) }),
)

/** Webhooks tells which events have a listener; other events are not announced. Webhooks answers that an endpoint was made only after this call. */
export const hearTrackerListeners = call<Record<string, never>>()(
  'rpc.tracker.hear-listeners',
  z.object({ listeners: z.array(Listener).min(1).max(200) }),
)

/** Webhooks has committed the effect of these announcements of the tracker. */
export const confirmTrackerAnnouncements = call<Record<string, never>>()(
  'rpc.tracker.confirm-announcements',
  z.object({ announcementIds: z.array(Id).max(1000) }),
)

/** Which of these pushes of a campaign have an outcome; a campaign past the ledger's retention has none. */
export const findPushesWithOutcome = call<{ subscriptionIds: string[] }>()(
  'rpc.tracker.find-settled',
  z.object({ campaignId: Id, subscriptionIds: z.array(Id).max(5000) }),
)

/** How far a send has come; null when nothing was ever queued for it. */
export type Progress = {
  stats: Stats
  /** By platform: pushes queued, and those of them that have an outcome. */
  byPlatform: Record<Platform, { queued: number; settled: number }>
  fannedOut: boolean
  /** Every queued push has an outcome. */
  settled: boolean
}
export const readProgress = call<Progress | null>()('rpc.tracker.read-progress', z.object({ appId: Id, campaignId: Id }))

/** Counters of several campaigns of an app, by id. A campaign for which nothing was ever queued is left out. */
export const listStats = call<{ stats: Record<string, Stats> }>()(
  'rpc.tracker.list-stats',
  z.object({ appId: Id, campaignIds: z.array(Id).max(200) }),
)

/** A recount of a campaign against its counters. `difference` is the sum of what they are off, 0 when they agree. */
export type Verification = {
  campaignId: string
  agrees: boolean
  difference: number
  counters: Stats
  ledger: Stats
}
/** Counts a campaign's ledger anew (in one snapshot) and compares it with its counters. Null when the campaign is unknown or past the ledger's retention. */
export const verifyCampaign = call<Verification | null>()('rpc.tracker.verify-campaign', z.object({ appId: Id, campaignId: Id }), 30_000)

/**
 * What the reconciler has found in the tracker process that answers: the sum by which counters and ledger of active campaigns differ, 0 when they agree.
 * `roundEndedAt`: when it last had looked at all of them; null when it has not done so since its process began.
 */
export const readReconciliation = call<{ difference: number; roundEndedAt: string | null }>()(
  'rpc.tracker.read-reconciliation',
  z.object({}),
)

/** The app was deleted: each call deletes a part of its rows, until `done`. */
export const eraseTrackerOfApp = call<{ done: boolean }>()('rpc.tracker.erase-app', z.object({ appId: Id }), 10_000)

/** A push of a campaign as the ledger has it. `end` is null while it has no outcome. `trail`: the provider's answers to the tries before its last one. */
export type ExplainedPush = {
  subscriptionId: string
  userId: string
  platform: Platform
  /** The batch that it was queued in. */
  no: number
  end: { outcome: OutcomeKind; code: string; providerCode: string; attempts: number; at: string } | null
  trail: Attempt[]
  reports: { kind: EngagementKind; at: string }[]
}
/**
 * What the ledger has of a campaign's pushes to these devices and, when `userId` is given, to that user (at most 100 in all). `ledger` is `none` when nothing was
 * ever queued, and `past` when the outcomes are past their retention. `fannedOutAt` (ISO): since then every push of the campaign is in the ledger.
 */
export const explainPushes = call<{ ledger: 'none' | 'kept' | 'past'; fannedOutAt: string | null; pushes: ExplainedPush[] }>()(
  'rpc.tracker.explain-pushes',
  z.object({ appId: Id, campaignId: Id, subscriptionIds: z.array(Id).max(mostExplained), userId: Id.nullable() }),
)

/**
 * How fast an app's large sends were: the pushes, and the seconds from the first page to the last outcome, of its last 5 settled sends of at least 1,000 pushes
 * within 30 days, among its newest 20,000 campaigns. Null when there are none.
 */
export const readPace = call<{ pace: { pushes: number; seconds: number } | null }>()('rpc.tracker.read-pace', z.object({ appId: Id }))

// What is counted over time (spec: administration/series).

/**
 * An app's counters by the hour or UTC day, from the bucket in which `from` lies (null: the last 24 hours or 30 days) to the last bucket that begins before `to` (null:
 * now). Fault: invalid_body at `from` (too long ago, not before `to`, more than 2,000 points or 10,000 codes).
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

/** The last 24 hours, the 24 before, and 30 days of an app. */
export const readRecent = call<RecentCounts>()('rpc.tracker.read-recent', z.object({ appId: Id }))

/** Null when nothing was ever queued for the campaign, or its counters are past their retention. */
export const readCurve = call<Curve | null>()('rpc.tracker.read-curve', z.object({ appId: Id, campaignId: Id }))
export const readBreakdown = call<Breakdown | null>()('rpc.tracker.read-breakdown', z.object({ appId: Id, campaignId: Id }))
