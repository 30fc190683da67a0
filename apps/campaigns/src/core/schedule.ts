import type { Schedule } from '@herald/contracts/campaign'
import { dateAfter, instantOf, localDateAt, nextInstantOf, weekdayOf } from '@herald/contracts/local-time'

export type Recurrence = Extract<Schedule, { type: 'recurring' }>
export type Occurrence = { at: Date; localDate: string }

const furthestMs = 365 * 86_400_000
/** A week holds every weekday; one day more for a time that has passed today, one for a zone that is a day ahead. */
const searchDays = 9

/** What of a schedule cannot be, now that it is `now`: the field and why (spec: campaigns/at, campaigns/recurring-until). */
export function whyNotSchedule(schedule: Schedule, now: Date): { path: string; message: string } | undefined {
  if (schedule.type === 'at' && Date.parse(schedule.at) - now.getTime() > furthestMs)
    return { path: 'schedule.at', message: 'must be at most 365 days ahead' }
  if (isOver(schedule, now)) return { path: 'schedule.until', message: 'must lie ahead' }
  return undefined
}

/** Whether a recurrence's `until` has passed. It is inclusive: at that very instant a run is still made. */
export const isOver = (schedule: Schedule, now: Date): boolean =>
  schedule.type === 'recurring' && schedule.until !== undefined && Date.parse(schedule.until) < now.getTime()

/**
 * What a send leads to by its schedule, at the moment it is asked for. An `at` that has passed sends now. One at each user's local time
 * starts with the first of `zones`: those that the app's users have, and the one of users without. `localTimesAfter`: whom a wave
 * reaches when is audience's to work out, from that moment on.
 */
export type Plan =
  | { action: 'sendNow' }
  | { action: 'sendLater'; dueAt: Date; localTimesAfter?: Date }
  | { action: 'sendRecurring'; dueAt: Date }
  | { action: 'unplanned'; why: string }

export function planSend(schedule: Schedule, now: Date, zones: string[] = []): Plan {
  switch (schedule.type) {
    case 'now':
      return { action: 'sendNow' }
    case 'at': {
      const dueAt = new Date(schedule.at)
      return dueAt > now ? { action: 'sendLater', dueAt } : { action: 'sendNow' }
    }
    case 'user_timezone': {
      const instants = zones.map((zone) => nextInstantOf(schedule.localTime, zone, now).getTime())
      return { action: 'sendLater', dueAt: new Date(Math.min(...instants)), localTimesAfter: now }
    }
    case 'recurring': {
      const next = isOver(schedule, now) ? undefined : nextDue(schedule, now, now)
      return next ? { action: 'sendRecurring', dueAt: next } : { action: 'unplanned', why: 'The schedule’s until has passed.' }
    }
  }
}

/**
 * What a recurrence that is due does: at most one run, however long nobody was there (spec: campaigns/recurring-missed). Only the newest missed
 * occurrence runs, and only when it is at most `catchUpSeconds` late; `missed` counts the others. `nextDue` is the next occurrence,
 * or the `until` after the last one; undefined: it is over.
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

/** The first occurrence after `now`; when there is none any more, the `until` as long as it lies ahead. */
export function nextDue(schedule: Recurrence, activatedAt: Date, now: Date): Date | undefined {
  const today = localDateAt(now, schedule.timezone)
  for (let days = -1; days < searchDays; days += 1) {
    const occurrence = occurrenceOn(schedule, activatedAt, dateAfter(today, days))
    if (occurrence && occurrence.at > now) return occurrence.at
  }
  const until = schedule.until === undefined ? undefined : new Date(schedule.until)
  return until && until > now ? until : undefined
}

/** Every occurrence from `from` to `to`, both inclusive, in order. */
function occurrencesBetween(schedule: Recurrence, activatedAt: Date, from: Date, to: Date): Occurrence[] {
  const occurrences: Occurrence[] = []
  const last = dateAfter(localDateAt(to, schedule.timezone), 1)
  for (let date = dateAfter(localDateAt(from, schedule.timezone), -1); date <= last; date = dateAfter(date, 1)) {
    const occurrence = occurrenceOn(schedule, activatedAt, date)
    if (occurrence && occurrence.at >= from && occurrence.at <= to) occurrences.push(occurrence)
  }
  return occurrences
}

/** A date's occurrence, if it has one: a day of the week that is named, not past `until`. */
function occurrenceOn(schedule: Recurrence, activatedAt: Date, date: string): Occurrence | undefined {
  const { localTime, timezone, until } = schedule
  if (!daysOf(schedule, activatedAt).includes(weekdayOf(date))) return undefined
  const at = instantOf(date, localTime, timezone)
  return until !== undefined && at.getTime() > Date.parse(until) ? undefined : { at, localDate: date }
}

const everyDay = [0, 1, 2, 3, 4, 5, 6]

/** A weekly schedule that names no day has the weekday on which it was activated, in its own zone. */
function daysOf({ every, daysOfWeek, timezone }: Recurrence, activatedAt: Date): number[] {
  if (daysOfWeek) return daysOfWeek
  return every === 'day' ? everyDay : [weekdayOf(localDateAt(activatedAt, timezone))]
}
