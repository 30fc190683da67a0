import {
  confirmTrackerAnnouncements,
  eraseTrackerOfApp,
  explainPushes as explainPushesCall,
  exportPushesOfCampaign as exportPushesOfCampaignCall,
  exportPushesOfDevice as exportPushesOfDeviceCall,
  hearTrackerListeners,
  findLastNotified,
  findPushesWithOutcome as findPushesWithOutcomeCall,
  listPushes as listPushesCall,
  listStats as listStatsCall,
  readBreakdown as readBreakdownCall,
  readCurve as readCurveCall,
  newestPushes as newestPushesCall,
  readNotified as readNotifiedCall,
  readPace as readPaceCall,
  readProgress as readProgressCall,
  readRecent as readRecentCall,
  readSeries as readSeriesCall,
  readReconciliation,
  readOutcomesOfBatch as readOutcomesOfBatchCall,
  readStats as readStatsCall,
  recordOutcomes as recordOutcomesCall,
  reportQueued as reportQueuedCall,
  trackEvents as trackEventsCall,
  verifyCampaign as verifyCampaignCall,
} from '@herald/contracts/calls/tracker'
import { queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { boundAnnouncements } from '@herald/service/bound-announcements'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { rememberListeners } from '@herald/service/listeners'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { openAtOnce } from '@herald/service/at-once'
import { holdAtMost } from './hold-at-most.ts'
import type { Config } from './config.ts'
import { openDays } from './days.ts'
import { eraseApp } from './erase-app.ts'
import { explainPushes } from './explain-pushes.ts'
import { exportPushesOfCampaign, exportPushesOfDevice } from './export-pushes.ts'
import { findPushesWithOutcome, readOutcomesOfBatch } from './read-outcomes.ts'
import { openFollowUp } from './follow-up.ts'
import { openHousekeeping } from './keep-house.ts'
import { listPushes } from './list-pushes.ts'
import { openMeasures } from './measure.ts'
import { readBreakdown } from './read-breakdown.ts'
import { readCurve } from './read-curve.ts'
import { newestPushes } from './newest-pushes.ts'
import { readNotified } from './read-notified.ts'
import { readPace } from './read-pace.ts'
import { readProgress } from './read-progress.ts'
import { readRecent, readSeries } from './read-series.ts'
import { listStats, readStats } from './read-stats.ts'
import { openReconciler } from './reconcile.ts'
import { countOutcomes, recordOutcomes, type OutcomeCall } from './record-outcomes.ts'
import { countQueued, reportQueued, type QueuedCall } from './report-queued.ts'
import { deleteAnnouncements } from './store/announcements.ts'
import { findNewestSent } from './find-notified.ts'
import type { Tables } from './store/tables.ts'
import { sweepDue } from './sweep-due.ts'
import { trackEvents, type EngagementCall } from './track-events.ts'
import { verifyCampaign } from './verify-campaign.ts'

/** Outcomes or reports that one process holds at once, at most ~500 bytes each: 20 dispatchers with a full window of 1,000. */
const mostHeld = 20_000
/** Pushes of reports that one process holds at once, ~120 bytes each: four of the largest calls. */
const mostQueuedHeld = 80_000

/** Slots of an app's present hour (migrations/0105). */
const slots = 16

/** What is plugged into what: calls to flows, and the sweeps. */
export async function wireTracker(service: Service<Config>): Promise<void> {
  const {
    DATABASE_URL_TRACKER: url,
    DATABASE_POOL_SIZE: poolSize,
    LEDGER_RETENTION_DAYS: ledgerDays,
    COUNTERS_RETENTION_DAYS: counterDays,
  } = service.config
  const { db, reads, watch } = await openDatabase<Tables>(service, { url, poolSize })
  const bus = await openBus(service, watch)
  const ensureDay = openDays(db, ledgerDays)
  const followUp = openFollowUp(service, { db, bus, measures: openMeasures(service.metrics, { db, watch }) })

  // Per kind one commit is in flight and everything that is ready goes along, a few thousand pushes at most. Calls of whole batches
  // and calls of single pushes have a line each: a large campaign does not stand before a one-device send.
  const shared = { maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }
  // Each line of commits moves rows of the hour of its own, so that none waits for another's commit, nor as a rule for another process.
  const firstSlot = Math.floor(Math.random() * slots)
  const slotOf = (line: number) => (firstSlot + line) % slots
  const write = (slot: number) => (calls: OutcomeCall[]) => recordOutcomes({ db, followUp, retentionDays: ledgerDays, slot }, calls)
  // A dispatcher has one call under way, so the next holds what came to an end meanwhile: pushes of a window of 1,000 wait 20 ms at most to be
  // written by the hundred and not by the dozen. Who is alone waits for nothing.
  const recordFew = group(write(slotOf(0)), { limit: 100, restMs: 10, ...shared })
  const recordMany = group(write(slotOf(1)), { limit: 8, restMs: 20, weigh: countOutcomes, enough: 200, ...shared })
  const record = holdAtMost((call: OutcomeCall) => (countOutcomes(call) <= 40 ? recordFew(call) : recordMany(call)), {
    weigh: countOutcomes,
    most: mostHeld,
  })
  const report = group(
    (calls: QueuedCall[]) => reportQueued({ db, ensureDay, followUp, retentionDays: ledgerDays, slot: slotOf(2) }, calls),
    {
      limit: 200,
      ...shared,
      // By turns of apps. The calls with outcomes each hold those of many.
      turn: ({ reports }) => reports[0]?.appId ?? '',
    },
  )
  const track = group(
    (calls: EngagementCall[]) => trackEvents({ db, ensureDay, followUp, retentionDays: ledgerDays, slot: slotOf(3) }, calls),
    {
      limit: 20,
      ...shared,
      turn: ({ engagements }) => engagements[0]?.appId ?? '',
    },
  )

  // Counting a large campaign anew takes seconds: one at a time leaves the other connections to short reads.
  const oneVerification = openAtOnce({ atOnce: 1, mostWaiting: 20, waitMs: 8_000, full: () => tooManyReads(10) })

  bus.answer(reportQueuedCall, holdAtMost(report, { weigh: countQueued, most: mostQueuedHeld }))
  bus.answer(recordOutcomesCall, record)
  bus.answer(trackEventsCall, holdAtMost(track, { weigh: ({ engagements }) => engagements.length, most: mostHeld }))
  bus.answer(readOutcomesOfBatchCall, (request) => readOutcomesOfBatch(db, request))
  bus.answer(readStatsCall, (request) => reads((db) => readStats(db, request), { turn: request.appId }))
  bus.answer(listStatsCall, (request) => reads((db) => listStats(db, request), { turn: request.appId }))
  bus.answer(readSeriesCall, (request) => reads((db) => readSeries(db, request), { turn: request.appId }))
  bus.answer(readRecentCall, (request) => reads((db) => readRecent(db, request), { turn: request.appId }))
  bus.answer(readCurveCall, (request) => reads((db) => readCurve(db, request), { turn: request.appId }))
  bus.answer(readBreakdownCall, (request) =>
    reads((db) => readBreakdown({ db, retentionDays: ledgerDays }, request), { turn: request.appId }),
  )
  bus.answer(readProgressCall, (request) => reads((db) => readProgress(db, request), { turn: request.appId }))
  bus.answer(readPaceCall, (request) => reads((db) => readPace(db, request), { turn: request.appId }))
  bus.answer(findPushesWithOutcomeCall, (request) => findPushesWithOutcome({ db, retentionDays: ledgerDays }, request))
  bus.answer(verifyCampaignCall, (request) =>
    oneVerification(() =>
      reads((db) => verifyCampaign({ db, retentionDays: ledgerDays }, request), { withinMs: 20_000, turn: request.appId }),
    ),
  )
  bus.answer(eraseTrackerOfApp, (request) => eraseApp(db, request))
  bus.answer(listPushesCall, (request) => reads((db) => listPushes({ db, retentionDays: ledgerDays }, request), { turn: request.appId }))
  bus.answer(explainPushesCall, (request) =>
    reads((db) => explainPushes({ db, retentionDays: ledgerDays }, request), { turn: request.appId }),
  )
  bus.answer(newestPushesCall, (request) =>
    reads((db) => newestPushes({ db, retentionDays: ledgerDays }, request), { turn: request.appId }),
  )
  bus.answer(exportPushesOfDeviceCall, (request) =>
    reads((db) => exportPushesOfDevice({ db, retentionDays: ledgerDays }, request), { turn: request.appId }),
  )
  bus.answer(exportPushesOfCampaignCall, (request) =>
    reads((db) => exportPushesOfCampaign({ db, retentionDays: ledgerDays }, request), { withinMs: 6_000, turn: request.appId }),
  )
  bus.answer(confirmTrackerAnnouncements, async ({ announcementIds }) => {
    await deleteAnnouncements(db, announcementIds)
    return {}
  })

  bus.answer(readNotifiedCall, (request) =>
    reads((db) => readNotified({ db, retentionDays: ledgerDays }, request), { turn: request.appId }),
  )
  bus.answer(findLastNotified, (request) =>
    reads(async (db) => ({ notified: await findNewestSent(db, { ...request, retentionDays: ledgerDays }) }), { turn: request.appId }),
  )
  bus.answer(hearTrackerListeners, ({ listeners }) => rememberListeners(db, listeners))

  startSweep(service, watch, 'due', () => sweepDue({ db, bus }))
  boundAnnouncements(service, watch, db)
  const reconciler = openReconciler(service, { db, retentionDays: ledgerDays })
  startSweep(service, watch, 'reconciler', () => reconciler.sweep())
  bus.answer(readReconciliation, async () => reconciler.found())
  startSweep(service, watch, 'housekeeping', openHousekeeping({ db, ensureDay, ledgerDays, counterDays, log: service.log }))
}
