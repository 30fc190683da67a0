import { queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'
import { boundAnnouncements } from '@herald/service/bound-announcements'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import type { Config } from './config.ts'
import { openDays } from './days.ts'
import { openFollowUp } from './follow-up.ts'
import { holdAtMost } from './hold-at-most.ts'
import { openHousekeeping } from './keep-house.ts'
import { openMeasures } from './measures.ts'
import { openReconciler, type Reconciler } from './reconcile.ts'
import { countOutcomes, recordOutcomes, type OutcomeCall } from './record-outcomes.ts'
import { countQueued, reportQueued, type QueuedCall } from './report-queued.ts'
import type { Tables } from './store/tables.ts'
import { sweepDue } from './sweep-due.ts'
import { trackEvents, type EngagementCall } from './track-events.ts'
import { wireTracker, type Writes } from './wire.ts'
import type { Tracker } from './tracker.ts'

/** Outcomes or reports that one process holds at once, at most ~500 bytes each: 20 dispatchers with a full window of 1,000. */
const mostHeld = 20_000
/** Pushes of reports that one process holds at once, ~120 bytes each: four of the largest calls. */
const mostQueuedHeld = 80_000

/** Slots of an app's present hour (migrations/0105). */
const slots = 16

/** Composes the tracker: connections, what its flows have at hand, its calls and its sweeps. */
export async function startTracker(service: Service<Config>): Promise<void> {
  const { config, log, metrics } = service
  const { db, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_TRACKER,
    poolSize: config.DATABASE_POOL_SIZE,
  })
  const bus = await openBus(service, watch)
  const retentionDays = config.LEDGER_RETENTION_DAYS
  const tracker: Tracker = {
    ...{ db, reads, bus, log, retentionDays },
    counterDays: config.COUNTERS_RETENTION_DAYS,
    ensureDay: openDays(db, retentionDays),
    followUp: openFollowUp(service, { db, bus, measures: openMeasures(metrics, { db, watch }) }),
  }

  startSweep(service, watch, 'due', () => sweepDue(tracker))
  boundAnnouncements(service, watch, db)
  const reconciler: Reconciler = openReconciler(service, tracker)
  startSweep(service, watch, 'reconciler', () => reconciler.sweep())
  startSweep(service, watch, 'housekeeping', openHousekeeping(tracker))

  // Counting a large campaign anew takes seconds. One at a time leaves the other connections to short reads.
  const oneVerification = openAtOnce({ atOnce: 1, mostWaiting: 20, waitMs: 8_000, full: () => tooManyReads(10) })
  wireTracker(bus, tracker, { ...openWrites(tracker), reconciler, oneVerification })
}

/**
 * Of each kind of write one commit is in flight, and everything that is ready meanwhile goes along in the next one, a few thousand pushes at
 * most. Calls of whole batches and calls of single pushes are committed apart, so that a large campaign does not hold up a one-device send.
 */
function openWrites(tracker: Tracker): Writes {
  const shared = { maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }
  // Each kind of commit moves its own rows of the hour, so that none waits for another's commit, nor as a rule for another process.
  const firstSlot = Math.floor(Math.random() * slots)
  const slotOf = (kind: number) => (firstSlot + kind) % slots
  const write = (slot: number) => (calls: OutcomeCall[]) => recordOutcomes({ ...tracker, slot }, calls)
  // A dispatcher has one call under way, and its next call holds what ended meanwhile. So pushes of a window of 1,000 wait for at most 20 ms, and are
  // written by the hundred and not by the dozen. A call that is alone does not wait.
  const recordFew = group(write(slotOf(0)), { limit: 100, restMs: 10, ...shared })
  const recordMany = group(write(slotOf(1)), { limit: 8, restMs: 20, weigh: countOutcomes, enough: 200, ...shared })
  const report = group((calls: QueuedCall[]) => reportQueued({ ...tracker, slot: slotOf(2) }, calls), {
    limit: 200,
    ...shared,
    // Apps take turns here. A call with outcomes holds those of many apps.
    turn: ({ reports }) => reports[0]?.appId ?? '',
  })
  const track = group((calls: EngagementCall[]) => trackEvents({ ...tracker, slot: slotOf(3) }, calls), {
    limit: 20,
    ...shared,
    turn: ({ engagements }) => engagements[0]?.appId ?? '',
  })
  return {
    recordOutcomes: holdAtMost((call: OutcomeCall) => (countOutcomes(call) <= 40 ? recordFew(call) : recordMany(call)), {
      weigh: countOutcomes,
      most: mostHeld,
    }),
    reportQueued: holdAtMost(report, { weigh: countQueued, most: mostQueuedHeld }),
    trackEvents: holdAtMost(track, { weigh: ({ engagements }) => engagements.length, most: mostHeld }),
  }
}
