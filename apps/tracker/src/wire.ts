import * as calls from '@herald/contracts/calls/tracker'
import type { Bus } from '@herald/service/bus'
import { rememberListeners } from '@herald/service/listeners'
import { confirmAnnouncements } from './announce.ts'
import { countUplift, openExperimentCounts } from './count-experiment.ts'
import { eraseApp } from './erase-app.ts'
import { eraseUser } from './erase-user.ts'
import { explainPushes } from './explain-pushes.ts'
import { exportPushesOfCampaign, exportPushesOfDevice } from './export-pushes.ts'
import { listConversions } from './list-conversions.ts'
import { listReached } from './list-reached.ts'
import { listPushes, newestPushes } from './list-pushes.ts'
import { dropFromInboxes, hideInboxItem, markInbox, readInbox } from './read-inbox.ts'
import { readBreakdown } from './read-breakdown.ts'
import { readCurve } from './read-curve.ts'
import { findLastNotified, readNotified } from './read-notified.ts'
import { findPushesWithOutcome, readOutcomesOfBatch } from './read-outcomes.ts'
import { readPace, readProgress } from './read-progress.ts'
import { readRecent, readSeries } from './read-series.ts'
import { listStats, readStats } from './read-stats.ts'
import type { Reconciler } from './reconcile.ts'
import type { ConversionCall } from './record-conversions.ts'
import type { OutcomeCall } from './record-outcomes.ts'
import type { QueuedCall } from './report-queued.ts'
import type { EngagementCall } from './track-events.ts'
import type { Tracker } from './tracker.ts'
import { verifyCampaign } from './verify-campaign.ts'

/**
 * The writing calls that hold what is not yet written. All but `recordConversions` share commits: those that arrive while a commit is in flight share
 * the next one. Other writing calls commit alone.
 */
export type Writes = {
  readonly recordOutcomes: (call: OutcomeCall) => Promise<{ recorded: number }>
  readonly reportQueued: (call: QueuedCall) => Promise<Record<string, never>>
  readonly trackEvents: (call: EngagementCall) => Promise<{ counted: number }>
  readonly recordConversions: (call: ConversionCall) => Promise<{ results: calls.RecordedConversion[] }>
}

type Wired = Writes & { reconciler: Reconciler; oneVerification: <Answer>(work: () => Promise<Answer>) => Promise<Answer> }

/** Connects each call with the function that answers it. */
export function wireTracker(bus: Bus, tracker: Tracker, { reconciler, oneVerification, ...writes }: Wired): void {
  /** Makes the function that answers a call that only reads. It uses the connections for reads, which apps use in turn. */
  const onReads =
    <Request extends { appId: string }, Answer>(
      flow: (tracker: Tracker, request: Request) => Promise<Answer>,
      limits: { withinMs?: number } = {},
    ) =>
    (request: Request) =>
      tracker.reads((db) => flow({ ...tracker, db }, request), { ...limits, appId: request.appId })

  bus.answer(calls.reportQueued, writes.reportQueued)
  bus.answer(calls.recordOutcomes, writes.recordOutcomes)
  bus.answer(calls.trackEvents, writes.trackEvents)
  bus.answer(calls.recordConversions, writes.recordConversions)
  bus.answer(calls.readOutcomesOfBatch, (request) => readOutcomesOfBatch(tracker, request))
  bus.answer(calls.findPushesWithOutcome, (request) => findPushesWithOutcome(tracker, request))
  bus.answer(calls.confirmTrackerAnnouncements, (request) => confirmAnnouncements(tracker, request))
  bus.answer(calls.hearTrackerListeners, ({ listeners }) => rememberListeners(tracker.db, listeners))
  bus.answer(calls.eraseTrackerOfUser, (request) => eraseUser(tracker, request))
  bus.answer(calls.eraseTrackerOfApp, (request) => eraseApp(tracker, request))

  bus.answer(calls.readStats, onReads(readStats))
  bus.answer(calls.listStats, onReads(listStats))
  bus.answer(calls.readSeries, onReads(readSeries))
  bus.answer(calls.readRecent, onReads(readRecent))
  bus.answer(calls.readCurve, onReads(readCurve))
  bus.answer(calls.readBreakdown, onReads(readBreakdown))
  bus.answer(calls.readProgress, onReads(readProgress))
  bus.answer(calls.readPace, onReads(readPace))
  bus.answer(calls.listPushes, onReads(listPushes))
  bus.answer(calls.newestPushes, onReads(newestPushes))
  bus.answer(calls.readInbox, onReads(readInbox))
  bus.answer(calls.markInbox, (request) => markInbox(tracker, request))
  bus.answer(calls.hideInboxItem, (request) => hideInboxItem(tracker, request))
  bus.answer(calls.dropFromInboxes, (request) => dropFromInboxes(tracker, request))
  bus.answer(calls.listConversions, onReads(listConversions))
  bus.answer(calls.explainPushes, onReads(explainPushes))
  bus.answer(calls.exportPushesOfDevice, onReads(exportPushesOfDevice))
  bus.answer(calls.exportPushesOfCampaign, onReads(exportPushesOfCampaign, { withinMs: 6_000 }))
  bus.answer(calls.readNotified, onReads(readNotified))
  bus.answer(calls.listReached, onReads(listReached, { withinMs: 6_000 }))
  bus.answer(calls.findLastNotified, onReads(findLastNotified))

  const verify = onReads(verifyCampaign, { withinMs: 20_000 })
  bus.answer(calls.verifyCampaign, (request) => oneVerification(() => verify(request)))
  // Counting the users of a large campaign takes seconds too, and shares that place.
  const countExperiment = onReads(openExperimentCounts(), { withinMs: 20_000 })
  bus.answer(calls.countExperiment, (request) => oneVerification(() => countExperiment(request)))
  const uplift = onReads(countUplift, { withinMs: 20_000 })
  bus.answer(calls.countUplift, (request) => oneVerification(() => uplift(request)))
  bus.answer(calls.readReconciliation, () => reconciler.found())
}
