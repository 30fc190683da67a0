import type { Recipient } from '@herald/contracts/batch'
import { takeBatch } from '@herald/contracts/calls/audience'
import { readSettled } from '@herald/contracts/calls/tracker'
import type { Report } from './batch-report.ts'
import type { Batch, Dispatch } from './deliver-batch.ts'
import type { Lease } from './lease.ts'
import { untilAnswered } from './until-answered.ts'

/**
 * The recipients that are to be sent to: every part of the batch, without those that a take which died has settled.
 * Decided ones are told to the tracker. Undefined: the batch is not ours any more, or the process stops before it is known
 * what is settled; then nothing may be said about it.
 */
export async function openRecipients(
  { bus, jobs }: Dispatch,
  { taken, circuit }: Batch,
  lease: Lease,
  report: Report,
): Promise<Recipient[] | undefined> {
  const { batchId, takes, day, campaignId } = taken
  const giveUp = AbortSignal.any([lease.lost, jobs.stopping])
  const recipients = [...taken.recipients]
  const decided = [...taken.decided]
  for (let more = taken.more; more;) {
    const from = recipients.length + decided.length
    const asked = { batchId, knowsSend: true, from, takes, ...circuit }
    const part = await untilAnswered(() => bus.call(takeBatch, asked), giveUp)
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
    const byId = new Map([...recipients, ...decided].map((push) => [push.subscriptionId, push]))
    for (const one of answer.settled) {
      settled.add(one.subscriptionId)
      const push = byId.get(one.subscriptionId)
      if (push) report.settledBefore(push, one)
    }
  }
  for (const one of decided) if (!settled.has(one.subscriptionId)) report.decided(one)
  return recipients.filter(({ subscriptionId }) => !settled.has(subscriptionId))
}
