import type { BatchPointer, BatchPointers, CircuitEnvironment, GivenBatch, TakenBatch } from '@herald/contracts/batch'
import { renewBatch } from '@herald/contracts/calls/audience'
import type { Lane, Platform } from '@herald/contracts/platform'
import { prepareSend, type PreparedSend } from '@herald/contracts/prepare-send'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LRUCache } from 'lru-cache'
import { openReport, type Report } from './batch-report.ts'
import type { Complain } from './complain.ts'
import type { Jobs } from './jobs.ts'
import { keepLease } from './lease.ts'
import type { Measures } from './measures.ts'
import { openRecipients } from './open-recipients.ts'
import type { AppTransport, Transports } from './open-transports.ts'
import type { Origins } from './origins.ts'
import { providerOf, type CredentialsReader } from './read-credentials.ts'
import type { Recorder } from './record-outcomes.ts'
import { sendToAll } from './send-to-all.ts'
import type { FinishAnswer, SmallBatches } from './small-batches.ts'
import type { Hear } from './transports/transport.ts'
import { untilAnswered } from './until-answered.ts'
import type { Flows } from './watch-flows.ts'
import type { Window } from './window.ts'

/** What the dispatcher works with: one of each per process. */
export type Dispatch = {
  bus: Bus
  small: SmallBatches
  log: Log
  hmacSecret: string
  credentials: CredentialsReader
  transports: Transports
  window: Window
  recorder: Recorder
  jobs: Jobs
  flows: Flows
  measures: Measures
  complain: Complain
  origins: Origins
  /** Waits before try n + 1 at a provider, seconds. */
  schedule: readonly number[]
  /** Sends that were read already, by campaign, with their content compiled. */
  sends: LRUCache<string, PreparedSend>
  /**
   * Batches of this process whose outcomes are not all with the tracker, until they are. A next take of the batch that is ours too must not
   * ask what is settled before our own outcomes are there, or it sends them again.
   */
  uncommitted: Map<string, Promise<void>>
}

export type Taken = TakenBatch & { answer: 'taken' }
type Circuit = { environment: CircuitEnvironment; credentialsVersion: number | null }
/** A batch in work. */
export type Batch = {
  taken: Taken
  takenAt: number
  /** How many pushes its pointer said it holds. */
  size: number | undefined
  prepared: PreparedSend
  /** Null: the app has no credentials. */
  transport: AppTransport | null
  /** The circuit that audience knows it by: where its devices are unless they said otherwise, and of which credentials. */
  circuit: Circuit
  /** Aborted when the process or the campaign stops: nothing is sent any more, what is unsent comes back. */
  stopped: AbortSignal
  /** By place: who hears of a push that waits for its answer. */
  flights: (Hear | undefined)[]
}

/** Delivers the batches that a message names, each for itself: one that cannot be taken brings the message back when the others are taken. */
export async function deliverBatches(
  dispatch: Dispatch,
  way: { platform: Platform; lane: Lane },
  { batches }: BatchPointers,
): Promise<void> {
  const delivered = await Promise.allSettled(batches.map((pointer) => deliverBatch(dispatch, way, pointer)))
  const failed = delivered.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Delivers the batch that a pointer names. Returns, and so acks, as soon as the row is leased to us: from then on the row is
 * the promise, and the work goes on as a job of the process. `gone`, `busy` and `held` need no work: the row comes back by
 * the sweep. Faults: queue_unavailable, database_unavailable before the take; the pointer comes back.
 */
export async function deliverBatch(
  dispatch: Dispatch,
  { platform, lane }: { platform: Platform; lane: Lane },
  { batchId, campaignId, appId, size }: BatchPointer,
): Promise<void> {
  const place = await dispatch.jobs.enter(platform, lane, appId)
  // Before the take: it may be granted just before the campaign stops, and its answer come after the broadcast.
  const flow = dispatch.flows.follow(campaignId)
  const leave = () => {
    flow.release()
    place.leave()
  }
  try {
    const credentials = await dispatch.credentials.of(appId, providerOf[platform])
    const transport = credentials && dispatch.transports.for(appId, credentials)
    const circuit: Circuit = { environment: transport?.environment ?? '', credentialsVersion: transport?.version ?? null }
    const known = dispatch.sends.get(campaignId)
    const takenAt = performance.now()
    const asked = { batchId, appId, knowsSend: known !== undefined, from: 0, takes: null, ...circuit }
    const taken = await dispatch.small.take(asked, size)
    if (taken.answer !== 'taken') return leave()
    const prepared = known ?? prepareTaken(dispatch, taken)
    const stopped = AbortSignal.any([dispatch.jobs.stopping, flow.stopped])
    dispatch.jobs.add(playOut(dispatch, { taken, takenAt, size, prepared, transport, circuit, stopped, flights: [] }).finally(leave))
  } catch (error) {
    leave()
    throw error
  }
}

/**
 * Delivers a batch that this process waited for since `takenAt` and was given, taken: asks what it holds, and returns as soon as it is in work.
 * Where it cannot be begun it is left to its lease.
 */
export async function deliverGiven(dispatch: Dispatch, given: GivenBatch, takenAt: number): Promise<void> {
  const { platform, lane, appId, campaignId, batchId, takes, size } = given
  const place = dispatch.jobs.occupy(platform, lane, appId)
  const flow = dispatch.flows.follow(campaignId)
  const leave = () => {
    flow.release()
    place.leave()
  }
  try {
    const credentials = await dispatch.credentials.of(appId, providerOf[platform])
    const transport = credentials && dispatch.transports.for(appId, credentials)
    const circuit: Circuit = { environment: transport?.environment ?? '', credentialsVersion: transport?.version ?? null }
    const known = dispatch.sends.get(campaignId)
    const asked = { batchId, appId, knowsSend: known !== undefined, from: 0, takes, ...circuit }
    const askedAt = performance.now()
    const read = await dispatch.small.take(asked, size)
    if (read.answer !== 'taken') return leave()
    // The lease counts from when it began to wait, and so does everything else: what it is told of time counts from the question.
    const taken = { ...read, elapsedMs: read.elapsedMs - (askedAt - takenAt) }
    const prepared = known ?? prepareTaken(dispatch, taken)
    const stopped = AbortSignal.any([dispatch.jobs.stopping, flow.stopped])
    dispatch.jobs.add(playOut(dispatch, { taken, takenAt, size, prepared, transport, circuit, stopped, flights: [] }).finally(leave))
  } catch (error) {
    leave()
    dispatch.log.warn({ batchId, campaignId, appId, err: error }, 'a batch was left to its lease')
  }
}

function prepareTaken({ sends }: Dispatch, { campaignId, send }: Taken): PreparedSend {
  if (!send) throw new Error(`take-batch left out a send of campaign ${campaignId} that was asked for`)
  const prepared = prepareSend(send)
  sends.set(campaignId, prepared)
  return prepared
}

/** Plays a leased batch out: all of it is read → what is settled or decided already → send → every outcome committed → finish. */
async function playOut(dispatch: Dispatch, batch: Batch): Promise<void> {
  const { bus, log } = dispatch
  const { taken, takenAt, prepared } = batch
  const { batchId, campaignId, appId, takes, tries } = taken
  const lease = keepLease(takenAt, async () => (await bus.call(renewBatch, { batchId, appId, takes })).held)
  const { test } = prepared.send
  const report = openReport(dispatch, { ...taken, test }, (userId) => prepared.variantFor(userId))
  const forget = dispatch.jobs.onCutOff((answer) => {
    for (const hear of batch.flights) hear?.(answer)
  })
  const before = dispatch.uncommitted.get(batchId)
  const { promise: committed, resolve: haveCommitted } = Promise.withResolvers<void>()
  dispatch.uncommitted.set(batchId, committed)
  try {
    await before
    const recipients = await openRecipients(dispatch, batch, lease, report)
    if (recipients) {
      const unsent = await sendToAll(dispatch, batch, lease, report, recipients)
      // Nothing was handed over for them, so no try was made: they come back at once.
      for (const number of unsent) report.retry(recipients.at(number), tries, 0)
      await report.committed()
    }
    haveCommitted()
    const answer = recipients && !lease.isTaken ? await finish(dispatch, batch, report) : undefined
    const { platform, lane, probe } = taken
    const ms = Math.round(performance.now() - takenAt)
    const line = { batchId, campaignId, appId, platform, lane, takes, tries, ...(probe ? { probe } : {}), ...report.counts(), ms }
    if (answer === 'done') log.info(line, 'batch delivered')
    else log.warn(line, lease.isTaken || answer === 'lost' ? 'batch given up: another has it, or it is done' : 'batch left to its lease')
  } catch (error) {
    log.error({ batchId, campaignId, appId, err: error }, 'a batch was left to its lease')
  } finally {
    forget()
    lease.release()
    haveCommitted()
    if (dispatch.uncommitted.get(batchId) === committed) dispatch.uncommitted.delete(batchId)
  }
}

/** Says what came of the batch, until it is heard. `lost` is as good: another take is in charge, and finds every outcome settled. */
async function finish(
  { small, credentials }: Dispatch,
  { taken, size, circuit, prepared }: Batch,
  report: Report,
): Promise<FinishAnswer | undefined> {
  const { batchId, takes, appId, platform } = taken
  // Credentials that were refused may have been replaced without our hearing of it: the next take reads them again.
  if (report.result().answers.some(({ seen }) => seen.includes('c'))) credentials.forget(appId, providerOf[platform])
  const { credentialsVersion } = circuit
  const { test } = prepared.send
  // Made anew for each call: what it says of time is counted from there.
  const finish = () => ({ batchId, appId, takes, credentialsVersion, ...(test && { test }), ...report.result() })
  return untilAnswered(() => small.finish({ appId, size, finish }))
}
