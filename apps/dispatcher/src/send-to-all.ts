import { openMessageIds } from '@herald/auth/message-id'
import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { variantOf } from '@herald/contracts/experiment'
import { bridgedWebBytes } from '@herald/contracts/payload'
import { asNow } from '@herald/service/request-id'
import type { Report } from './batch-report.ts'
import { asError, type Answer } from './core/answer.ts'
import type { Batch, Dispatcher } from './dispatcher.ts'
import type { Lease } from './lease.ts'
import type { Recipients } from './open-recipients.ts'
import type { AppTransport } from './providers/provider.ts'
import type { Committed } from './record-outcomes.ts'
import { makePush, resultOf, type Sending, type AttemptResult } from './send-push.ts'
import type { Hear } from './providers/provider.ts'

/**
 * Sends to a batch's recipients whose circuit is closed, to all origins at once: a slow one delays only its own. Gives those left out by a stop, lost
 * lease, refused credentials or a probe. Without credentials all fail.
 */
export async function sendToAll(
  dispatcher: Dispatcher,
  batch: Batch,
  lease: Lease,
  report: Report,
  recipients: Recipients,
): Promise<number[]> {
  const { numbers } = recipients
  const { transport, taken, prepared, takenAt } = batch
  if (!transport) {
    for (const number of numbers) {
      const result = { is: 'failed', tries: taken.tries, code: 'not_configured', providerCode: '', dead: null } as const
      report.begun()
      report.note(recipients.at(number), result, report.ended)
    }
    return []
  }
  const { providers, hmacSecret, measures, schedule, origins } = dispatcher
  const sending: Omit<Sending, 'origin'> = {
    provider: providers[taken.platform],
    prepared,
    transport,
    msgIdOf: openMessageIds(hmacSecret, taken),
    recalledOf: recallOf(hmacSecret, taken, prepared.send.recall),
    measures,
    triesBefore: taken.tries,
    probe: taken.probe,
    schedule,
    origins,
    expiresAtSeconds: Math.ceil(Date.parse(taken.queuedAt) / 1000 + prepared.send.ttl),
    elapsedMs: () => taken.elapsedMs + (performance.now() - takenAt),
    accepted: null,
  }
  // A probe is sent to the first device of the batch, because audience puts the device that it chose first.
  const chosen = taken.probe ? numbers.slice(0, 1) : withoutHeld(batch, transport, report, recipients)
  const others = taken.probe ? numbers.slice(1) : []
  const byOrigin = Map.groupBy(chosen, (number) => transport.originOf(recipients.toAt(number)))
  const unsent = await Promise.all(
    [...byOrigin].map(([origin, of]) => sendInOrder(dispatcher, batch, origin, { ...recipients, numbers: of }, sending, lease, report)),
  )
  return [...others, ...unsent.flat()]
}

/** Gives the function that computes the msgIds of the pushes that a recall is about; undefined for any other send. */
function recallOf(
  secret: string,
  { appId, platform }: Batch['taken'],
  recall: FrozenSend['recall'],
): ((userId: string, subscriptionId: string) => string) | undefined {
  if (!recall) return undefined
  const { of, variants } = recall
  const msgIdOf = openMessageIds(secret, { appId, campaignId: of, platform })
  return (userId, subscriptionId) => msgIdOf(userId, subscriptionId, variants ? variantOf(variants, of, userId).id : '')
}

/** Gives the recipients whose circuit is closed. The others go back to audience, unless the ttl is 0: such a push cannot wait, so it is sent. */
function withoutHeld({ taken, prepared }: Batch, transport: AppTransport, report: Report, recipients: Recipients): number[] {
  const { numbers } = recipients
  if (taken.heldEnvironments.length === 0 || prepared.send.ttl === 0) return numbers
  const heldForMs = new Map(taken.heldEnvironments.map(({ environment, inMs }) => [environment, inMs]))
  return numbers.filter((number) => {
    const inMs = heldForMs.get(transport.environmentOf(recipients.toAt(number)))
    if (inMs !== undefined) report.retry(recipients.at(number), taken.tries, inMs)
    return inMs === undefined
  })
}

/**
 * Sends to the recipients of one origin until the provider refuses the credentials, the campaign or this process stops, or the lease ends. Gives the
 * numbers of the recipients that were not sent to.
 */
async function sendInOrder(
  { window, log, measures, rendering }: Dispatcher,
  { taken: { platform, lane, batchId, campaignId, appId }, stopped, flights }: Batch,
  origin: string,
  { numbers, at: recipientAt }: Recipients,
  toAll: Omit<Sending, 'origin'>,
  lease: Lease,
  report: Report,
): Promise<number[]> {
  const sending: Sending = { ...toAll, origin: `${appId} ${origin}` }
  const refused = new AbortController()
  const giveUp = AbortSignal.any([lease.lost, stopped, refused.signal])
  // Asks three signals one by one, because one signal that combines them is slower to ask.
  const mayGoOn = () => lease.held && !stopped.aborted && !refused.signal.aborted
  // Node calls an answer's listener in the context in which the connection was opened. `within` restores the batch's context, so that log lines carry
  // the id of the batch's request.
  const within = asNow()
  const committed: Committed = (pushes) => {
    window.leave(origin, lane, pushes)
    report.ended(pushes)
  }

  const isPrompt = lane === 'prompt' && toAll.triesBefore === 0
  const host = toAll.provider.hasManyHosts ? origin.replace(/^web /, '') : ''
  let isAccepted = false
  const ended = (recipient: Recipient, result: AttemptResult): void => {
    if (result.is === 'sent') {
      if (!isAccepted && result.heard) {
        isAccepted = true
        report.accepted({ environment: result.heard.environment, host, subscriptionId: recipient.subscriptionId })
      }
      return report.note(recipient, result, committed)
    }
    if (result.heard?.letter === 'c') refused.abort()
    return within(() => report.note(recipient, result, committed, host))
  }
  /** Fails one push after a mistake of Herald's, so that the other pushes go on. The error's message may hold anything, so it is not logged. */
  const mistaken = (recipient: Recipient, { name, stack = '' }: Error): void => {
    const { subscriptionId } = recipient
    const at = stack.split('\n').slice(-4)
    within(() => log.error({ batchId, campaignId, subscriptionId, error: name, at }, 'a push failed by a mistake in Herald'))
    ended(recipient, { is: 'failed', tries: sending.triesBefore, code: 'internal', providerCode: '', dead: null })
  }
  /** Whether a push service takes a shorter body than its limit says. The body is then cut and sent once more. */
  const isTooLong = (answer: Answer) => toAll.provider.hasManyHosts && answer.is === 'answered' && answer.status === 413
  /** Sends a push: for the first time, at `firstAt`, or again after the provider surely did not process it, or asked for a shorter body. */
  const trySending = (recipient: Recipient, resends: number, firstAt: number, limit?: number): void => {
    const { place } = recipient
    const sentAt = resends === 0 ? firstAt : performance.now()
    const hear: Hear = (answer) => {
      // This answer came already, or the stopping process has given up waiting for it.
      if (flights[place] !== hear) return
      flights[place] = undefined
      try {
        if (answer instanceof Error) return mistaken(recipient, answer)
        measures.answered(platform, (performance.now() - sentAt) / 1000)
        if (isPrompt && resends === 0) measures.firstTried(platform, sending.elapsedMs() / 1000)
        if (answer.is === 'refused' && resends < mostResends && mayGoOn()) return sendAgain(recipient, resends, firstAt, answer)
        if (limit === undefined && isTooLong(answer) && mayGoOn()) return trySending(recipient, resends, firstAt, bridgedWebBytes)
        return ended(recipient, resultOf(sending, recipient, answer, firstAt))
      } catch (error) {
        return mistaken(recipient, asError(error))
      }
    }
    try {
      const push = makePush(sending, recipient, limit)
      if ('is' in push) return ended(recipient, push)
      flights[place] = hear
      return sending.transport.transport.send(push, hear)
    } catch (error) {
      flights[place] = undefined
      return mistaken(recipient, asError(error))
    }
  }
  /**
   * Sends a push again that the provider surely did not process, because another connection usually accepts it. The first resend is made at once, and
   * each later one waits 20 ms longer, up to 80 ms for the fifth.
   */
  const sendAgain = (recipient: Recipient, resends: number, firstAt: number, answer: Answer): void => {
    const again = () => {
      if (mayGoOn()) trySending(recipient, resends + 1, firstAt)
      else ended(recipient, resultOf(sending, recipient, answer, firstAt))
    }
    setTimeout(() => within(again), resends * 20)
  }

  // `mayGoOn` is asked only once after each wait of this loop. Between two waits nothing but a refusal of the credentials can stop the sending, and
  // that is asked before each push.
  let isAsked = false
  for (let at = 0; at < numbers.length; at += 1) {
    // A full batch takes 25 ms to render, and one with dear content up to a second: without a pause it would hold up the providers' answers.
    if (rendering.isUsedUp(performance.now())) {
      await rendering.next()
      isAsked = false
    }
    if (!window.enterNow(origin, lane)) {
      if (!(await window.enter(origin, lane, giveUp, appId))) return numbers.slice(at)
      isAsked = false
    }
    if (refused.signal.aborted || (!isAsked && !mayGoOn())) {
      window.leave(origin, lane)
      return numbers.slice(at)
    }
    isAsked = true
    report.begun()
    trySending(recipientAt(numbers[at] ?? 0), 0, performance.now())
  }
  return []
}

/** A push that the provider did not process is sent again at most this many times. These resends do not count as attempts. */
const mostResends = 5
