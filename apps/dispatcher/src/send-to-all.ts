import { openMessageIds } from '@herald/auth/message-id'
import type { Recipient } from '@herald/contracts/batch'
import type { Report } from './batch-report.ts'
import type { Batch, Dispatch } from './deliver-batch.ts'
import type { Lease } from './lease.ts'
import type { AppTransport } from './open-transports.ts'
import { sendPush, type Sending } from './send-push.ts'

/** The event loop gets its turn after so many: a batch of 500 rendered in one go would hold up answers for 25 ms. */
const yieldAfter = 32

/**
 * Sends to the recipients of a batch, as far as their circuits are closed, origin by origin side by side, so that a slow push
 * service holds up its own devices only. Answers who was not sent to: the batch is stopped or not ours any more, our credentials
 * were refused, or another device is the probe.
 */
export async function sendToAll(
  dispatch: Dispatch,
  batch: Batch,
  lease: Lease,
  report: Report,
  recipients: Recipient[],
): Promise<Recipient[]> {
  const { transport, taken, prepared, takenAt } = batch
  if (!transport) {
    for (const recipient of recipients) {
      void report.settle(recipient, { is: 'failed', tries: taken.tries, code: 'not_configured', providerCode: '', dead: null })
    }
    return []
  }
  const { jobs, hmacSecret, measures, schedule, origins } = dispatch
  const sending: Omit<Sending, 'mayGoOn' | 'origin'> = {
    platform: taken.platform,
    prepared,
    transport,
    msgIdOf: openMessageIds(hmacSecret, taken),
    measures,
    triesBefore: taken.tries,
    probe: taken.probe,
    schedule,
    origins,
    expiresAtSeconds: Math.ceil(Date.parse(taken.queuedAt) / 1000 + prepared.send.ttl),
    elapsedMs: () => taken.elapsedMs + (performance.now() - takenAt),
    untilCutOff: (answer) => jobs.untilCutOff(answer),
  }
  // Which device a probe asks is audience's to say: the first.
  const chosen = taken.probe ? recipients.slice(0, 1) : withoutHeld(batch, transport, report, recipients)
  const others = taken.probe ? recipients.slice(1) : []
  const byOrigin = Map.groupBy(chosen, (recipient) => transport.originOf(recipient))
  const unsent = await Promise.all([...byOrigin].map(([origin, of]) => sendInOrder(dispatch, batch, origin, of, sending, lease, report)))
  return [...others, ...unsent.flat()]
}

/** Who goes through an open circuit waits for its probe. Now or never does not wait: it has its one try. */
function withoutHeld({ taken, prepared }: Batch, transport: AppTransport, report: Report, recipients: Recipient[]): Recipient[] {
  if (taken.heldEnvironments.length === 0 || prepared.send.ttl === 0) return recipients
  const heldForMs = new Map(taken.heldEnvironments.map(({ environment, inMs }) => [environment, inMs]))
  return recipients.filter((recipient) => {
    const inMs = heldForMs.get(transport.environmentOf(recipient))
    if (inMs !== undefined) report.retry(recipient, taken.tries, inMs)
    return inMs === undefined
  })
}

/** Sends to the recipients of one origin; once our credentials are refused the others are not sent to: they would hear the same. */
async function sendInOrder(
  { window, log }: Dispatch,
  { taken: { lane, batchId, campaignId, appId }, stopped }: Batch,
  origin: string,
  recipients: Recipient[],
  toAll: Omit<Sending, 'mayGoOn' | 'origin'>,
  lease: Lease,
  report: Report,
): Promise<Recipient[]> {
  const refused = new AbortController()
  const giveUp = AbortSignal.any([lease.lost, stopped, refused.signal])
  // Of the three signals, because one that stands for all of them is slower to ask, and a push asks twice.
  const sending: Sending = {
    ...toAll,
    origin: `${appId} ${origin}`,
    mayGoOn: () => lease.held && !stopped.aborted && !refused.signal.aborted,
  }

  const sendOne = async (recipient: Recipient): Promise<void> => {
    try {
      const settlement = await sendPush(sending, recipient)
      if (settlement.heard?.letter === 'c') refused.abort()
      await report.settle(recipient, settlement)
    } catch (error) {
      // A mistake of ours in one push must not take the others with it. Its message may hold anything, so it is not logged.
      const { name, stack } = error instanceof Error ? error : new Error()
      log.error(
        { batchId, campaignId, subscriptionId: recipient.subscriptionId, error: name, at: stack?.split('\n').slice(-4) },
        'a push failed for our own reasons',
      )
      await report.settle(recipient, { is: 'failed', tries: sending.triesBefore, code: 'internal', providerCode: '', dead: null })
    } finally {
      window.leave(origin, lane)
    }
  }
  for (const [place, recipient] of recipients.entries()) {
    if (!window.enterNow(origin, lane) && !(await window.enter(origin, lane, giveUp, appId))) return recipients.slice(place)
    if (!sending.mayGoOn()) {
      window.leave(origin, lane)
      return recipients.slice(place)
    }
    report.follow(sendOne(recipient))
    if (place % yieldAfter === yieldAfter - 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return []
}
