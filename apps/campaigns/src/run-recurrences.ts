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
    const lost = due.filter(({ schedule }) => !findTimeZone(schedule.timezone))
    for (const { id, schedule } of lost) await markFailed(trx, id, unknownZone(schedule.timezone))
    const readable = due.filter((recurrence) => !lost.includes(recurrence))
    const ticks = readable.map((recurrence) => ({
      id: recurrence.id,
      now: recurrence.now,
      ...tick(recurrence.schedule, { ...recurrence, catchUpSeconds }),
    }))
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

/** Zones come with the runtime: one that another version knew ends its recurrence and holds up no other. */
const unknownZone = (zone: string) => ({ code: 'invalid_schedule', message: `The time zone ${zone} is not known any more.` })
