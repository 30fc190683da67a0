import type { Schedule } from '@herald/contracts/campaign'
import { dueIn, hasPassedEverywhere } from '@herald/contracts/local-moment'
import { instantOf } from '@herald/contracts/local-time'
import { isOver, nextDue, occurrencesBetween, type Occurrence, type Recurrence } from '@herald/contracts/occurrences'

const furthestMs = 365 * 86_400_000
/** The zone in which a day begins first. */
const firstZone = 'Etc/GMT-14'

/** Says which field of a schedule is not allowed at `now`, and why; undefined when all are (spec: campaigns/at, campaigns/user-timezone-passed, campaigns/recurring-until). */
export function whyNotSchedule(schedule: Schedule, now: Date): { path: string; message: string } | undefined {
  if (schedule.type === 'at' && Date.parse(schedule.at) - now.getTime() > furthestMs)
    return { path: 'schedule.at', message: 'must be at most 365 days ahead' }
  if (schedule.type === 'user_timezone' && schedule.date !== undefined) {
    if (hasPassedEverywhere(schedule, now)) return { path: 'schedule.date', message: 'must not have passed in every time zone' }
    if (instantOf(schedule.date, schedule.localTime, firstZone).getTime() - now.getTime() > furthestMs)
      return { path: 'schedule.date', message: 'must be at most 365 days ahead' }
  }
  if (isOver(schedule, now)) return { path: 'schedule.until', message: 'must lie ahead' }
  if (schedule.type === 'recurring') return whyNotRecurrence(schedule, now)
  return undefined
}

function whyNotRecurrence(schedule: Recurrence, now: Date): { path: string; message: string } | undefined {
  const { startDate, localTime } = schedule
  if (startDate !== undefined && instantOf(startDate, localTime, firstZone).getTime() - now.getTime() > furthestMs)
    return { path: 'schedule.startDate', message: 'must be at most 365 days ahead' }
  return nextDue(schedule, now, now) ? undefined : { path: 'schedule', message: 'must have a day on which it runs' }
}

/**
 * What happens when a campaign is sent, by its schedule. A `sendLater` with `localTimesAfter` is a send at each user's local time, which was asked for
 * at `localTimesAfter`.
 */
export type Plan =
  | { action: 'sendNow' }
  | { action: 'sendLater'; dueAt: Date; localTimesAfter?: Date }
  | { action: 'sendRecurring'; dueAt: Date }
  | { action: 'unplanned'; why: string }

/**
 * Plans a send when it is asked for. A passed `at` sends now. A send at users' local time starts when it is first due in one of `zones`; if due in
 * none, it starts now and skips everybody.
 */
export function planSend(schedule: Schedule, now: Date, zones: string[] = []): Plan {
  switch (schedule.type) {
    case 'now':
      return { action: 'sendNow' }
    case 'at': {
      const dueAt = new Date(schedule.at)
      return dueAt > now ? { action: 'sendLater', dueAt } : { action: 'sendNow' }
    }
    case 'user_timezone': {
      if (hasPassedEverywhere(schedule, now)) return { action: 'unplanned', why: 'The schedule’s date has passed in every time zone.' }
      const instants = zones.map((zone) => dueIn(schedule, zone, now)).filter((at) => at !== 'expired')
      const first = instants.length > 0 ? Math.min(...instants.map((at) => at.getTime())) : 0
      return { action: 'sendLater', dueAt: new Date(Math.max(first, now.getTime())), localTimesAfter: now }
    }
    case 'recurring': {
      if (isOver(schedule, now)) return { action: 'unplanned', why: 'The schedule’s until has passed.' }
      const next = nextDue(schedule, now, now)
      return next ? { action: 'sendRecurring', dueAt: next } : { action: 'unplanned', why: 'The schedule has no day on which it runs.' }
    }
  }
}

/** Delays a send that would go out at once. Any other plan stays as it is, because it begins later by itself (spec: campaigns/delay). */
export function delayed(plan: Plan, now: Date, delaySeconds: number): Plan {
  const isAtOnce = plan.action === 'sendNow' || (plan.action === 'sendLater' && plan.dueAt <= now)
  return isAtOnce && delaySeconds > 0 ? { ...plan, action: 'sendLater', dueAt: new Date(now.getTime() + delaySeconds * 1_000) } : plan
}

/** Says how many runs a recurrence may still make, of which it has made `runCount`. */
export const runsLeft = ({ maxRuns = Infinity }: Recurrence, runCount: number | null): number => Math.max(0, maxRuns - (runCount ?? 0))

/**
 * Says what a due recurrence does: at most one run (spec: campaigns/recurring-missed), of the newest occurrence, at most `catchUpSeconds` late.
 * `missed`: past occurrences that do not run. `nextDue`: the next one or the `until`; undefined when it is over.
 */
export function tick(
  schedule: Recurrence,
  { activatedAt, dueAt, now, catchUpSeconds }: { activatedAt: Date; dueAt: Date; now: Date; catchUpSeconds: number },
): { run: Occurrence | undefined; missed: number; nextDue: Date | undefined } {
  const passed = occurrencesBetween(schedule, activatedAt, dueAt, now)
  const newest = passed.at(-1)
  const run = newest && now.getTime() - newest.at.getTime() <= catchUpSeconds * 1000 ? newest : undefined
  return { run, missed: passed.length - (run ? 1 : 0), nextDue: nextDue(schedule, activatedAt, now) }
}
