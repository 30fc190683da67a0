import type { Recipient } from '@herald/contracts/batch'
import { takeBatch } from '@herald/contracts/calls/audience'
import { readOutcomesOfBatch } from '@herald/contracts/calls/tracker'
import { readRecipients, type SentTo } from '@herald/contracts/recipient'
import type { Report } from './batch-report.ts'
import type { Batch, Dispatcher } from './dispatcher.ts'
import type { Lease } from './lease.ts'
import { untilAnswered } from './until-answered.ts'

/**
 * A batch's recipients, each named by a number and read only when needed: objects for all would live so long that collecting them costs as much as
 * sending, with eight batches in work.
 */
export type Recipients = {
  numbers: number[]
  at: (number: number) => Recipient
  toAt: (number: number) => SentTo
}

/**
 * Reads every part of the batch, and gives the recipients whose pushes were not settled earlier; decided pushes go to the report. Undefined when
 * lease or process ends before that: then nothing may be reported.
 */
export async function openRecipients(
  { bus, jobs }: Dispatcher,
  { taken, circuit }: Batch,
  lease: Lease,
  report: Report,
): Promise<Recipients | undefined> {
  const { batchId, appId, takes, day, campaignId, no } = taken
  const giveUp = AbortSignal.any([lease.lost, jobs.stopping])
  const first = readRecipients(taken.recipients)
  const parts = [{ from: 0, part: first }]
  let count = first.count
  const decided = [...taken.decided]
  for (let more = taken.more; more;) {
    const from = count + decided.length
    const asked = { batchId, appId, knowsSend: true, from, takes, ...circuit, rate: null }
    const part = await untilAnswered(() => bus.call(takeBatch, asked), giveUp)
    if (part?.answer !== 'taken') return undefined
    const further = readRecipients(part.recipients)
    parts.push({ from: count, part: further })
    count += further.count
    decided.push(...part.decided)
    more = part.more && further.count + part.decided.length > 0
  }
  // Nearly every batch comes in one part.
  const partOf = (number: number) =>
    (number < first.count ? parts[0] : parts.findLast(({ from }) => from <= number)) ?? { from: 0, part: first }
  const at = (number: number) => {
    const { from, part } = partOf(number)
    return part.at(number - from)
  }
  const toAt = (number: number) => {
    const { from, part } = partOf(number)
    return part.toAt(number - from)
  }
  const numbers = Array.from({ length: count }, (_, number) => number)

  const settled = new Set<number>()
  if (takes > 1) {
    const answer = await untilAnswered(() => bus.call(readOutcomesOfBatch, { day, campaignId, no }), giveUp)
    if (!answer) return undefined
    const byPlace = new Map([...numbers.map(at), ...decided].map((push) => [push.place, push]))
    for (const { places, ...end } of answer.results) {
      for (const place of places) {
        settled.add(place)
        const push = byPlace.get(place)
        if (push) report.endedBefore(push, end)
      }
    }
  }
  for (const one of decided) if (!settled.has(one.place)) report.decided(one)
  return { numbers: settled.size === 0 ? numbers : numbers.filter((number) => !settled.has(at(number).place)), at, toAt }
}
