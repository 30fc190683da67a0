import { queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'
import { boundAnnouncements } from '@herald/service/bound-announcements'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { openHousework } from '@herald/service/housework'
import { startSweep } from '@herald/service/sweep'
import type { Config } from './config.ts'
import { openDays } from './days.ts'
import { openFollowUp } from './follow-up.ts'
import { holdAtMost } from './hold-at-most.ts'
import { houseEveryMs, openHousekeeping } from './keep-house.ts'
import { openMeasures } from './measures.ts'
import { openReconciler, type Reconciler } from './reconcile.ts'
import { recordConversions, type ConversionCall } from './record-conversions.ts'
import { countOutcomes, recordOutcomes, type OutcomeCall } from './record-outcomes.ts'
import { openRememberedRows } from './remembered-rows.ts'
import { countQueued, reportQueued, type QueuedCall } from './report-queued.ts'
import type { Tables } from './store/tables.ts'
import { sweepDue } from './sweep-due.ts'
import { trackEvents, trackPatiently, type EngagementCall } from './track-events.ts'
import { wireTracker, type Writes } from './wire.ts'
import type { Tracker } from './tracker.ts'

/**
 * A process has at most this many outcomes in memory that are not yet written, and as many reports of devices, at ~500 bytes each. The number is
 * enough for 20 dispatchers with 1,000 pushes in flight each.
 */
const mostHeld = 20_000
/**
 * A process has at most this many queued pushes in memory, in reports of fan-outs that are not yet written, at ~120 bytes each. Four of the largest
 * calls have this many.
 */
const mostQueuedHeld = 80_000

/**
 * An app's counts of an hour (app_hours, app_hour_codes) are spread over this many rows, by the column `slot`. Two commits then seldom wait for each
 * other's lock. `mergeStripes` makes one row of them when the next hour is over too.
 */
const stripes = 16

export async function startTracker(service: Service<Config>): Promise<void> {
  const { config, log, metrics } = service
  const { db, frequentDb, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_TRACKER,
    poolSize: config.DATABASE_POOL_SIZE,
    pooler: config.DATABASE_POOLER,
    readUrl: config.DATABASE_READ_URL,
  })
  const bus = await openBus(service, watch)
  const retentionDays = config.LEDGER_RETENTION_DAYS
  const remembered = openRememberedRows()
  watch.onAway(() => remembered.clear())
  const tracker: Tracker = {
    ...{ db, frequentDb, reads, bus, log, retentionDays },
    remembered,
    counterDays: config.COUNTERS_RETENTION_DAYS,
    transactionalDays: config.TRANSACTIONAL_RETENTION_DAYS,
    ensureDay: openDays(db, retentionDays),
    followUp: openFollowUp(service, { db, bus, measures: openMeasures(metrics, { db, watch }) }),
  }

  startSweep(service, watch, 'due', () => sweepDue(tracker))
  boundAnnouncements(service, watch, db)
  const reconciler: Reconciler = openReconciler(service, tracker)
  startSweep(service, watch, 'reconciler', () => reconciler.sweep())
  startSweep(
    service,
    watch,
    'housekeeping',
    openHousework(tracker.db, { name: 'housekeeping', everyMs: houseEveryMs }, openHousekeeping(tracker)),
  )

  // Counting a campaign of millions of pushes anew takes seconds. A process counts only one at a time, so that the other connections stay free for
  // short reads.
  const oneVerification = openAtOnce({ atOnce: 1, mostWaiting: 20, waitMs: 8_000, full: () => tooManyReads(10) })
  wireTracker(bus, tracker, { ...openWrites(tracker), reconciler, oneVerification })
}

/**
 * Opens the three kinds of writes. Calls that arrive while a commit is in flight share the next one. Calls with more than 40 outcomes share none with
 * smaller ones, so that a large campaign delays no small send.
 */
function openWrites(tracker: Tracker): Writes {
  const shared = { maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }
  // Each kind of commit has its own stripe of the hour, so that no kind waits for another's commit. The first stripe is chosen at random, so that
  // two processes mostly share few stripes or none.
  const firstStripe = Math.floor(Math.random() * stripes)
  const stripeOf = (kind: number) => (firstStripe + kind) % stripes
  const write = (stripe: number) => (calls: OutcomeCall[]) => recordOutcomes({ ...tracker, stripe }, calls)
  // A dispatcher has one call under way, and its next call holds what ended meanwhile. With 1,000 pushes in flight a push waits 20 ms at most, and a
  // commit writes hundreds. A call that comes alone does not wait.
  const recordFew = group(write(stripeOf(0)), { limit: 100, restMs: 10, ...shared })
  const recordMany = group(write(stripeOf(1)), { limit: 8, restMs: 20, weigh: countOutcomes, enough: 200, ...shared })
  const report = group((calls: QueuedCall[]) => reportQueued({ ...tracker, stripe: stripeOf(2) }, calls), {
    limit: 200,
    ...shared,
    // Reports of all apps are committed in turn. A call with outcomes names no app, since it holds outcomes of many.
    appOf: ({ reports }) => reports[0]?.appId ?? '',
  })
  const track = group((calls: EngagementCall[]) => trackEvents({ ...tracker, stripe: stripeOf(3) }, calls), {
    limit: 20,
    ...shared,
    appOf: ({ engagements }) => engagements[0]?.appId ?? '',
  })
  return {
    recordOutcomes: holdAtMost((call: OutcomeCall) => (countOutcomes(call) <= 40 ? recordFew(call) : recordMany(call)), {
      weigh: countOutcomes,
      most: mostHeld,
    }),
    reportQueued: holdAtMost(report, { weigh: countQueued, most: mostQueuedHeld }),
    recordConversions: holdAtMost((call: ConversionCall) => recordConversions({ ...tracker, stripe: stripeOf(4) }, call), {
      weigh: ({ conversions }) => conversions.length,
      most: mostHeld,
    }),
    trackEvents: holdAtMost((call: EngagementCall) => trackPatiently(track, call), {
      weigh: ({ engagements }) => engagements.length,
      most: mostHeld,
    }),
  }
}
