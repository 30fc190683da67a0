import type { Recipient } from '@herald/contracts/batch'
import { takeBatch } from '@herald/contracts/calls/audience'
import { readSettled } from '@herald/contracts/calls/tracker'
import { recipientsOf } from '@herald/contracts/recipient'
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
  const { batchId, takes, day, campaignId, no } = taken
  const giveUp = AbortSignal.any([lease.lost, jobs.stopping])
  const recipients = recipientsOf(taken.recipients)
  const decided = [...taken.decided]
  for (let more = taken.more; more;) {
    const from = recipients.length + decided.length
    const asked = { batchId, knowsSend: true, from, takes, ...circuit }
    const part = await untilAnswered(() => bus.call(takeBatch, asked), giveUp)
    if (part?.answer !== 'taken') return undefined
    const further = recipientsOf(part.recipients)
    recipients.push(...further)
    decided.push(...part.decided)
    more = part.more && further.length + part.decided.length > 0
  }

  const settled = new Set<number>()
  if (takes > 1) {
    const answer = await untilAnswered(() => bus.call(readSettled, { day, campaignId, no }), giveUp)
    if (!answer) return undefined
    const byPlace = new Map([...recipients, ...decided].map((push) => [push.place, push]))
    for (const { places, ...end } of answer.results) {
      for (const place of places) {
        settled.add(place)
        const push = byPlace.get(place)
        if (push) report.settledBefore(push, end)
      }
    }
  }
  for (const one of decided) if (!settled.has(one.place)) report.decided(one)
  return recipients.filter(({ place }) => !settled.has(place))
}
