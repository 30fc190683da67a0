import { newId } from '@herald/contracts/ids'
import { findTimeZone } from '@herald/contracts/text'
import type { Log } from '@herald/service/log'
import { transact } from '@herald/service/postgres'
import { tick } from './core/schedule.ts'
import { markFailed } from './store/campaigns.ts'
import { nextDueInMs } from './store/due.ts'
import { advanceRecurrences, insertRuns, takeDueRecurrences } from './store/recurrences.ts'
import type { Db } from './store/tables.ts'

/** A tick is a few short statements in one transaction; more of them would hold the rows against a cancel for longer. */
const atOnce = 50

/**
 * Makes the runs of recurrences that are due by the database's clock. Run and next due time commit together, so no kill makes a
 * second run or leaves one out; a run that was made has its own lease, should its pointer be lost.
 */
export async function runRecurrences({
  db,
  pointAt,
  catchUpSeconds,
  startedLate,
  missedOccurrences,
  log,
}: {
  db: Db
  pointAt: (campaignId: string) => void
  catchUpSeconds: number
  startedLate: (seconds: number) => void
  missedOccurrences: (count: number) => void
  log: Log
}): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextDueInMs(db, ['active'])
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }

  const { due, ticks, made } = await transact(db, async (trx) => {
    const due = await takeDueRecurrences(trx, atOnce)
    const looked = due.map((recurrence) => look(recurrence, catchUpSeconds))
    const ticks = looked.flatMap((one) => ('failure' in one ? [] : [one]))
    for (const one of looked) {
      if (!('failure' in one)) continue
      if (one.error) log.error({ campaignId: one.id, err: one.error }, 'a recurrence cannot be read and ends')
      await markFailed(trx, one.id, one.failure)
    }
    const runs = ticks.flatMap(({ id, run }) => (run ? [{ id: newId(), recurringOf: id, localDate: run.localDate }] : []))
    const made = await insertRuns(trx, runs)
    await advanceRecurrences(trx, ticks)
    return { due, ticks, made }
  })

  for (const campaignId of made) pointAt(campaignId)
  for (const { id, now, run, missed } of ticks) {
    if (run) startedLate((now.getTime() - run.at.getTime()) / 1000)
    if (missed === 0) continue
    missedOccurrences(missed)
    log.warn({ campaignId: id, missed }, 'occurrences of a recurrence were missed')
  }
  return { took: due.length }
}

type Recurrence = Awaited<ReturnType<typeof takeDueRecurrences>>[number]

/** What a recurrence does now, or why it ends. One that cannot be read ends by itself, and holds up no other. */
function look(recurrence: Recurrence, catchUpSeconds: number) {
  const { id, now, schedule } = recurrence
  try {
    if (!findTimeZone(schedule.timezone)) return { id, failure: unknownZone(schedule.timezone) }
    return { id, now, ...tick(schedule, { ...recurrence, catchUpSeconds }) }
  } catch (error) {
    return { id, failure: { code: 'invalid_schedule', message: 'The schedule cannot be read any more.' }, error }
  }
}

/** Zones come with the runtime: one that another version knew ends its recurrence and holds up no other. */
const unknownZone = (zone: string) => ({ code: 'invalid_schedule', message: `The time zone ${zone} is not known any more.` })
