import type { BatchPointer, Recipient, TakenBatch } from '@herald/contracts/batch'
import { finishBatch, renewBatch, takeBatch } from '@herald/contracts/calls/audience'
import { readSettled } from '@herald/contracts/calls/tracker'
import type { Lane, Platform } from '@herald/contracts/platform'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LRUCache } from 'lru-cache'
import { openReport, type Report } from './batch-report.ts'
import { prepareSend, type PreparedSend } from './core/render.ts'
import type { Jobs } from './jobs.ts'
import { keepLease, type Lease } from './lease.ts'
import type { AppTransport, Transports } from './open-transports.ts'
import { providerOf, type CredentialsReader } from './read-credentials.ts'
import type { Recorder } from './record-outcomes.ts'
import { sendPush, type Sending } from './send-push.ts'
import { untilAnswered } from './until-answered.ts'
import type { Window } from './window.ts'

/** What the dispatcher works with: one of each per process. */
export type Dispatch = {
  bus: Bus
  log: Log
  hmacSecret: string
  credentials: CredentialsReader
  transports: Transports
  window: Window
  recorder: Recorder
  jobs: Jobs
  /** Sends that were read already, by campaign, with their content compiled. */
  sends: LRUCache<string, PreparedSend>
}

type Taken = TakenBatch & { answer: 'taken' }
type Batch = { taken: Taken; takenAt: number; prepared: PreparedSend; transport: AppTransport | null }

/**
 * Delivers the batch that a pointer names. Returns, and so acks, as soon as the row is leased to us: from then on the row is
 * the promise, and the work goes on as a job of the process. `gone`, `busy` and `held` need no work: the row comes back by
 * the sweep. Faults: queue_unavailable, database_unavailable before the take; the pointer comes back.
 */
export async function deliverBatch(
  dispatch: Dispatch,
  { platform, lane }: { platform: Platform; lane: Lane },
  { batchId, campaignId, appId }: BatchPointer,
): Promise<void> {
  const place = await dispatch.jobs.enter(platform, lane)
  try {
    const credentials = await dispatch.credentials.of(appId, providerOf[platform])
    const transport = credentials && dispatch.transports.for(appId, credentials)
    const known = dispatch.sends.get(campaignId)
    const takenAt = performance.now()
    const taken = await dispatch.bus.call(takeBatch, { batchId, knowsSend: known !== undefined, from: 0, takes: null })
    if (taken.answer !== 'taken') return place.leave()
    const prepared = known ?? prepareTaken(dispatch, taken)
    dispatch.jobs.add(playOut(dispatch, { taken, takenAt, prepared, transport }).finally(() => place.leave()))
  } catch (error) {
    place.leave()
    throw error
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
  const { bus, log, jobs } = dispatch
  const { taken, takenAt } = batch
  const { batchId, takes } = taken
  const lease = keepLease(takenAt, async () => (await bus.call(renewBatch, { batchId, takes })).held)
  const report = openReport(dispatch.recorder, taken)
  try {
    const recipients = await openRecipients(dispatch, batch, lease, report)
    if (recipients) {
      const unsent = await sendAll(dispatch, batch, lease, report, recipients)
      // What a stopping process did not get to is another's, at once, and no try was made.
      if (jobs.stopping.aborted) for (const recipient of unsent) report.retry(recipient, taken.tries, new Date())
      await report.committed()
    }
    const isOver = recipients !== undefined && lease.held
    if (isOver) await finish(dispatch, batch, report)
    const { appId, campaignId, platform, lane, tries } = taken
    const ms = Math.round(performance.now() - takenAt)
    const line = { batchId, campaignId, appId, platform, lane, takes, tries, ...report.counts(), ms }
    if (isOver) log.info(line, 'batch delivered')
    else log.warn(line, lease.held ? 'batch left to its lease: the process stops' : 'batch given up: the lease is over')
  } catch (error) {
    log.error({ batchId, err: error }, 'a batch was left to its lease')
  } finally {
    lease.release()
  }
}

/**
 * The recipients that are to be sent to: every part of the batch, without those that a take which died has settled.
 * Decided ones are told to the tracker. Undefined: the batch is not ours any more, or the process stops before it is known
 * what is settled; then nothing may be said about it.
 */
async function openRecipients(dispatch: Dispatch, { taken }: Batch, lease: Lease, report: Report): Promise<Recipient[] | undefined> {
  const { bus, jobs } = dispatch
  const { batchId, takes, day, campaignId, platform } = taken
  const giveUp = AbortSignal.any([lease.lost, jobs.stopping])
  const recipients = [...taken.recipients]
  const decided = [...taken.decided]
  for (let more = taken.more; more;) {
    const from = recipients.length + decided.length
    const part = await untilAnswered(() => bus.call(takeBatch, { batchId, knowsSend: true, from, takes }), giveUp)
    if (part?.answer !== 'taken') return undefined
    recipients.push(...part.recipients)
    decided.push(...part.decided)
    more = part.more && part.recipients.length + part.decided.length > 0
  }

  const settled = new Set<string>()
  if (takes > 1) {
    const subscriptionIds = [...recipients, ...decided].map(({ subscriptionId }) => subscriptionId)
    const answer = await untilAnswered(() => bus.call(readSettled, { day, campaignId, subscriptionIds }), giveUp)
    if (!answer) return undefined
    const byId = new Map(recipients.map((recipient) => [recipient.subscriptionId, recipient]))
    for (const one of answer.settled) {
      settled.add(one.subscriptionId)
      const recipient = byId.get(one.subscriptionId)
      if (recipient) report.settledBefore(recipient, one, platform)
    }
  }
  for (const one of decided) if (!settled.has(one.subscriptionId)) report.decided(one)
  return recipients.filter(({ subscriptionId }) => !settled.has(subscriptionId))
}

/** Sends to all, origin by origin side by side, so that a slow push service holds up its own devices only. Answers who was not sent to. */
async function sendAll(dispatch: Dispatch, batch: Batch, lease: Lease, report: Report, recipients: Recipient[]): Promise<Recipient[]> {
  const { transport, taken, prepared, takenAt } = batch
  if (!transport) {
    for (const recipient of recipients) {
      void report.settle(recipient, { is: 'failed', tries: taken.tries, code: 'not_configured', providerCode: '', deadSince: null })
    }
    return []
  }
  const { jobs, hmacSecret } = dispatch
  const sending: Sending = {
    platform: taken.platform,
    prepared,
    transport: transport.transport,
    hmacSecret,
    triesBefore: taken.tries,
    elapsedMs: () => taken.elapsedMs + (performance.now() - takenAt),
    mayGoOn: () => lease.held && !jobs.stopping.aborted,
    untilCutOff: (answer) => jobs.untilCutOff(answer),
  }
  const byOrigin = Map.groupBy(recipients, (recipient) => transport.originOf(recipient))
  const unsent = await Promise.all(
    [...byOrigin].map(([origin, of]) => sendInOrder(dispatch, taken.lane, origin, of, sending, lease, report)),
  )
  return unsent.flat()
}

/** The event loop gets its turn after so many: a batch of 500 rendered in one go would hold up answers for 25 ms. */
const yieldAfter = 32

async function sendInOrder(
  { window, jobs, log }: Dispatch,
  lane: Lane,
  origin: string,
  recipients: Recipient[],
  sending: Sending,
  lease: Lease,
  report: Report,
): Promise<Recipient[]> {
  const giveUp = AbortSignal.any([lease.lost, jobs.stopping])
  const sendOne = async (recipient: Recipient): Promise<void> => {
    try {
      await report.settle(recipient, await sendPush(sending, recipient))
    } catch (error) {
      // A mistake of ours in one push must not take the others with it. Its message may hold anything, so it is not logged.
      const { name, stack } = error instanceof Error ? error : new Error()
      log.error(
        { subscriptionId: recipient.subscriptionId, error: name, at: stack?.split('\n').slice(-4) },
        'a push failed for our own reasons',
      )
      await report.settle(recipient, { is: 'failed', tries: sending.triesBefore, code: 'internal', providerCode: '', deadSince: null })
    } finally {
      window.leave(origin, lane)
    }
  }
  for (const [place, recipient] of recipients.entries()) {
    if (!(await window.enter(origin, lane, giveUp))) return recipients.slice(place)
    if (!sending.mayGoOn()) {
      window.leave(origin, lane)
      return recipients.slice(place)
    }
    report.follow(sendOne(recipient))
    if (place % yieldAfter === yieldAfter - 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return []
}

/** Says what came of the batch, until it is heard. `lost` is as good: another take is in charge, and finds every outcome settled. */
async function finish({ bus }: Dispatch, { taken }: Batch, report: Report): Promise<void> {
  const { batchId, takes } = taken
  await untilAnswered(() => bus.call(finishBatch, { batchId, takes, ...report.result() }))
}
