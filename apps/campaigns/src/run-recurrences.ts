import { newId } from '@herald/contracts/ids'
import { findTimeZone } from '@herald/contracts/text'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { runsLeft, tick } from './core/schedule.ts'
import { orEachAlone } from './each-alone.ts'
import { markFailed } from './store/campaigns.ts'
import { findDueRecurrences, nextRecurrenceDueInMs } from './store/due.ts'
import { advanceRecurrences, insertRuns, postponeRecurrence, takeDueRecurrences } from './store/recurrences.ts'

/** One transaction takes at most this many recurrences. Their rows are locked until it ends, and a request to cancel one waits for that. */
const atOnce = 50

/**
 * Makes the due runs of recurrences, by the database's clock. A run and the next due time commit together, so a kill neither repeats nor skips one.
 * When a run's pointer is lost, the sweep sends another.
 */
export async function runRecurrences({
  db,
  pointAt,
  catchUpSeconds,
  measures,
  log,
}: Pick<Campaigns, 'db' | 'pointAt' | 'catchUpSeconds' | 'measures' | 'log'>): Promise<{ took: number; nextInMs?: number }> {
  const dueInMs = await nextRecurrenceDueInMs(db)
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }

  const running = { db, catchUpSeconds, log }
  const runs = await orEachAlone(
    (only) => runDue(running, only),
    () => findDueRecurrences(db, atOnce),
    (campaignId, error) => {
      log.error({ campaignId, err: error }, 'the run of a recurrence cannot be made; it is tried again in a minute')
      // A row that cannot even be put off stays due, and the others go on.
      return postponeRecurrence(db, campaignId).catch(() => undefined)
    },
  )
  const [ticks, made] = [runs.flatMap((run) => run.ticks), runs.flatMap((run) => run.made)]
  for (const campaignId of made) pointAt(campaignId)
  for (const { id, now, run, missed } of ticks) {
    if (run) measures.startedLate((now.getTime() - run.at.getTime()) / 1000)
    if (missed === 0) continue
    measures.missedOccurrences(missed)
    log.warn({ campaignId: id, missed }, 'occurrences of a recurrence were missed')
  }
  return { took: runs.reduce((sum, { took }) => sum + took, 0) }
}

type Running = Pick<Campaigns, 'db' | 'catchUpSeconds' | 'log'>

/** Makes, in one transaction, the runs of the oldest 50 due recurrences, or of the recurrence with the id `only`. */
const runDue = ({ db, catchUpSeconds, log }: Running, only?: string) =>
  transact(db, async (trx) => {
    const due = await takeDueRecurrences(trx, atOnce, only)
    const looked = due.map((recurrence) => look(recurrence, catchUpSeconds))
    const ticks = looked.flatMap((one) => ('failure' in one ? [] : [one]))
    for (const one of looked) {
      if (!('failure' in one)) continue
      log.error({ campaignId: one.id, err: one.error }, 'a recurrence cannot be read and ends')
      await markFailed(trx, one.id, one.failure)
    }
    const runs = ticks.flatMap(({ id, run }) => (run ? [{ id: newId(), recurringOf: id, localDate: run.localDate }] : []))
    const made = await insertRuns(trx, runs)
    const ran = new Set(runs.filter(({ id }) => made.includes(id)).map(({ recurringOf }) => recurringOf))
    await advanceRecurrences(
      trx,
      ticks.map(({ id, missed, nextDue, left }) => {
        const made = ran.has(id) ? 1 : 0
        return { id, missed, made, nextDue: left > made ? nextDue : undefined }
      }),
    )
    return { took: due.length, ticks, made }
  })

type Recurrence = Awaited<ReturnType<typeof takeDueRecurrences>>[number]

/** Says what a recurrence does now, or why it fails. A recurrence whose schedule cannot be read fails alone, and the others go on. */
function look({ id, now, schedule, activatedAt, dueAt, runCount }: Recurrence, catchUpSeconds: number) {
  try {
    if (schedule?.type !== 'recurring' || !activatedAt || !dueAt) return { id, failure: unreadable }
    if (!findTimeZone(schedule.timezone)) return { id, failure: unknownZone(schedule.timezone) }
    return { id, now, left: runsLeft(schedule, runCount), ...tick(schedule, { activatedAt, dueAt, now, catchUpSeconds }) }
  } catch (error) {
    return { id, failure: unreadable, error }
  }
}

const unreadable = { code: 'invalid_schedule', message: 'The schedule cannot be read any more.' }
/** Gives the failure for an unknown time zone. Zones come with the runtime, so another version of it may not know a zone any more. */
const unknownZone = (zone: string) => ({ code: 'invalid_schedule', message: `The time zone ${zone} is not known any more.` })
