import type { BatchPointer, BatchPointers, GivenBatch, TakeAnswer, TakenBatch } from '@herald/contracts/batch'
import { renewBatch } from '@herald/contracts/calls/audience'
import { tokensOf } from '@herald/contracts/live-activity'
import type { Lane, Platform } from '@herald/contracts/platform'
import { prepareSend, type PreparedSend } from '@herald/contracts/prepare-send'
import { openReport, type Report } from './batch-report.ts'
import type { Batch, Dispatcher } from './dispatcher.ts'
import { keepLease } from './lease.ts'
import { openRecipients } from './open-recipients.ts'
import { freshMs } from './freshness.ts'
import { sendToAll } from './send-to-all.ts'
import type { FinishAnswer } from './batch-calls.ts'
import { untilAnswered } from './until-answered.ts'

/** Delivers each batch that a message names. When a take fails, this fails too, after the other takes, so that NATS delivers the message again. */
export async function deliverBatches(
  dispatcher: Dispatcher,
  queue: { platform: Platform; lane: Lane },
  { batches }: BatchPointers,
): Promise<void> {
  const delivered = await Promise.allSettled(batches.map((pointer) => deliverBatch(dispatcher, queue, pointer)))
  const failed = delivered.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Delivers the batch that a pointer names, and returns as soon as it is leased to this process. `gone`, `busy` and `held` need nothing: audience's
 * sweep points again. Faults: queue_unavailable, database_unavailable (NATS repeats the pointer).
 */
async function deliverBatch(
  dispatcher: Dispatcher,
  { platform, lane }: { platform: Platform; lane: Lane },
  pointer: BatchPointer,
): Promise<void> {
  const place = await dispatcher.jobs.enter(platform, lane, pointer.appId)
  await beginDelivery(dispatcher, place, { ...pointer, platform, takes: null })
}

/**
 * Delivers a batch that audience gave to this process, which has waited for batches since `waitedFrom`. Returns as soon as the delivery has begun. When
 * the delivery cannot begin, the batch stays leased until its lease ends.
 */
export async function deliverGiven(dispatcher: Dispatcher, given: GivenBatch, waitedFrom: number): Promise<void> {
  const { platform, lane, appId, campaignId, batchId } = given
  const place = dispatcher.jobs.occupy(platform, lane, appId)
  try {
    await beginDelivery(dispatcher, place, { ...given, waitedFrom })
  } catch (error) {
    dispatcher.log.warn({ batchId, campaignId, appId, err: error }, 'a batch was left to its lease')
  }
}

/**
 * Takes a batch and begins to deliver it. A batch that audience gave (`takes` is not null) is leased already: its `content` is used while fresh, else
 * asked for. Frees the `place` when the delivery ends, or cannot begin.
 */
async function beginDelivery(
  dispatcher: Dispatcher,
  place: { leave(): void },
  {
    batchId,
    campaignId,
    appId,
    size,
    platform,
    takes,
    waitedFrom,
    content,
  }: BatchPointer & { platform: Platform; takes: number | null; waitedFrom?: number; content?: TakeAnswer | undefined },
): Promise<void> {
  // Four instants. `waitedFrom`: the wait for a given batch began. `beganAt`: the pointer or the given batch has come. `askedAt`: audience was asked, or
  // its content has come; the durations in its answer count from then. `takenAt`: the lease and this process's durations count from then.
  const beganAt = performance.now()
  // Listens for a stop of the campaign before the take is asked for. Audience may grant the take just before the campaign stops, and its answer may
  // arrive after the broadcast of the stop.
  const flow = dispatcher.flows.follow(campaignId)
  const leave = () => {
    flow.release()
    place.leave()
  }
  try {
    const credentials = await dispatcher.credentials.of(appId, dispatcher.providers[platform].kind)
    const transport = credentials && dispatcher.transports.for(appId, credentials)
    const circuit = { environment: transport?.environment ?? '', credentialsVersion: transport?.version ?? null } as const
    const rate = transport?.rate ?? null
    const known = dispatcher.sends.get(campaignId)
    const usesContent = content && performance.now() - beganAt < freshMs
    const askedAt = usesContent ? beganAt : performance.now()
    const takenAt = waitedFrom ?? askedAt
    const asked = { batchId, appId, knowsSend: known !== undefined, from: 0, takes, ...circuit, rate }
    const answer = usesContent ? content : await dispatcher.batchCalls.take(asked, size)
    if (answer.answer !== 'taken') return leave()
    const taken = { ...answer, elapsedMs: answer.elapsedMs - (askedAt - takenAt) }
    const prepared = known ?? prepareTaken(dispatcher, taken)
    const stopped = AbortSignal.any([dispatcher.jobs.stopping, flow.stopped])
    const batch = { taken, takenAt, size, uncounted: usesContent ? (size ?? 0) : 0, prepared, transport, circuit, stopped, flights: [] }
    dispatcher.jobs.add(deliver(dispatcher, batch).finally(leave))
  } catch (error) {
    leave()
    throw error
  }
}

function prepareTaken({ sends }: Dispatcher, { campaignId, send }: TakenBatch): PreparedSend {
  if (!send) throw new Error(`take-batch left out a send of campaign ${campaignId} that was asked for`)
  const prepared = prepareSend(send)
  sends.set(campaignId, prepared)
  return prepared
}

/**
 * Delivers a leased batch: sends to recipients whose pushes are neither settled nor decided, waits until every outcome is committed, and tells
 * audience what became of the batch.
 */
async function deliver(dispatcher: Dispatcher, batch: Batch): Promise<void> {
  const { bus, log } = dispatcher
  const { taken, takenAt, prepared, transport } = batch
  const { batchId, campaignId, appId, takes, tries } = taken
  const lease = keepLease(takenAt, async () => (await bus.call(renewBatch, { batchId, appId, takes })).held)
  const { test } = prepared.send
  const report = openReport(
    dispatcher,
    {
      ...taken,
      test,
      credentialsVersion: batch.circuit.credentialsVersion,
      rate: transport?.rate ?? null,
      takenAt,
      uncounted: batch.uncounted,
    },
    (userId) => prepared.variantFor(userId),
  )
  const forget = dispatcher.jobs.onCutOff((answer) => {
    for (const hear of batch.flights) hear?.(answer)
  })
  const earlierDelivery = dispatcher.uncommitted.get(batchId)
  const { promise: committed, resolve: tellCommitted } = Promise.withResolvers<void>()
  dispatcher.uncommitted.set(batchId, committed)
  try {
    await earlierDelivery
    const recipients = await openRecipients(dispatcher, batch, lease, report)
    if (recipients) {
      const unsent = await sendToAll(dispatcher, batch, lease, report, recipients)
      // Nothing of these pushes was handed over, so no attempt counts: audience queues them again at once.
      for (const number of unsent) report.retry(recipients.at(number), tries, 0)
      await report.committed()
    }
    tellCommitted()
    const answer = recipients && !lease.takenAway.aborted ? await finish(dispatcher, batch, report, lease.takenAway) : undefined
    const { platform, lane, probe } = taken
    const ms = Math.round(performance.now() - takenAt)
    const line = { batchId, campaignId, appId, platform, lane, takes, tries, ...(probe ? { probe } : {}), ...report.counts(), ms }
    if (answer === 'done') log.info(line, 'batch delivered')
    else
      log.warn(
        line,
        lease.takenAway.aborted || answer === 'lost' ? 'batch given up: another process has it, or it is done' : 'batch left to its lease',
      )
  } catch (error) {
    log.error({ batchId, campaignId, appId, err: error }, 'a batch was left to its lease')
  } finally {
    forget()
    lease.release()
    tellCommitted()
    if (dispatcher.uncommitted.get(batchId) === committed) dispatcher.uncommitted.delete(batchId)
  }
}

/**
 * Tells audience what became of the batch until audience answers or says that it is another's. `lost` needs nothing more: the batch is done, or its
 * new dispatcher will find every push settled.
 */
async function finish(
  { batchCalls, credentials, providers }: Dispatcher,
  { taken, size, circuit, prepared }: Batch,
  report: Report,
  giveUp: AbortSignal,
): Promise<FinishAnswer | undefined> {
  const { batchId, takes, appId, platform } = taken
  // After a provider refused the credentials, the next take asks the gateway for them again, because this process may have missed the broadcast about
  // new ones.
  if (report.result().answers.some(({ seen }) => seen.includes('c'))) credentials.forget(appId, providers[platform].kind)
  const { credentialsVersion } = circuit
  const { test, activity } = prepared.send
  // Makes the message anew for each call, because the durations in it count from the call.
  const finish = () => ({
    batchId,
    appId,
    takes,
    credentialsVersion,
    ...(test && { test }),
    ...(activity && { activity: tokensOf(activity) }),
    ...report.result(),
  })
  return untilAnswered(() => batchCalls.finish({ appId, size, finish }), giveUp)
}
