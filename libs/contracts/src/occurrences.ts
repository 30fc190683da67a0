import type { Schedule } from './campaign.ts'
import { dateAfter, instantOf, localDateAt, weekdayOf } from './local-time.ts'

export type Recurrence = Extract<Schedule, { type: 'recurring' }>
export type Occurrence = { at: Date; localDate: string }

/**
 * The next occurrence is searched on yesterday and on this many days from today on. Seven days have every weekday, an eighth is needed when today's
 * time has passed, and the ninth is to spare.
 */
const searchDays = 9

/** Whether a recurrence's `until` has passed. A run at exactly `until` is still made. */
export const isOver = (schedule: Schedule, now: Date): boolean =>
  schedule.type === 'recurring' && schedule.until !== undefined && Date.parse(schedule.until) < now.getTime()

/** Gives the first occurrence after `now`. When no occurrence is left, gives `until`, or undefined when `until` has passed too. */
export function nextDue(schedule: Recurrence, activatedAt: Date, now: Date): Date | undefined {
  const today = localDateAt(now, schedule.timezone)
  for (let days = -1; days < searchDays; days += 1) {
    const occurrence = occurrenceOn(schedule, activatedAt, dateAfter(today, days))
    if (occurrence && occurrence.at > now) return occurrence.at
  }
  const until = schedule.until === undefined ? undefined : new Date(schedule.until)
  return until && until > now ? until : undefined
}

/** Lists every occurrence from `from` to `to`, both included, in order. */
export function occurrencesBetween(schedule: Recurrence, activatedAt: Date, from: Date, to: Date): Occurrence[] {
  const occurrences: Occurrence[] = []
  const last = dateAfter(localDateAt(to, schedule.timezone), 1)
  for (let date = dateAfter(localDateAt(from, schedule.timezone), -1); date <= last; date = dateAfter(date, 1)) {
    const occurrence = occurrenceOn(schedule, activatedAt, date)
    if (occurrence && occurrence.at >= from && occurrence.at <= to) occurrences.push(occurrence)
  }
  return occurrences
}

/** Gives the occurrence on a date. Undefined when the recurrence does not run on the date's weekday (`daysOf`), or the occurrence is after `until`. */
function occurrenceOn(schedule: Recurrence, activatedAt: Date, date: string): Occurrence | undefined {
  const { localTime, timezone, until } = schedule
  if (!daysOf(schedule, activatedAt).includes(weekdayOf(date))) return undefined
  const at = instantOf(date, localTime, timezone)
  return until !== undefined && at.getTime() > Date.parse(until) ? undefined : { at, localDate: date }
}

const everyDay = [0, 1, 2, 3, 4, 5, 6]

/** Gives the weekdays of a recurrence. A weekly schedule that names no day runs on the weekday on which it was activated, in the schedule's zone. */
function daysOf({ every, daysOfWeek, timezone }: Recurrence, activatedAt: Date): number[] {
  if (daysOfWeek) return daysOfWeek
  return every === 'day' ? everyDay : [weekdayOf(localDateAt(activatedAt, timezone))]
}
