import type { Schedule } from './campaign.ts'
import { dateAfter, instantOf, localDateAt, weekdayOf } from './local-time.ts'

export type Recurrence = Extract<Schedule, { type: 'recurring' }>
export type Occurrence = { at: Date; localDate: string }

const dayMs = 86_400_000
/**
 * An occurrence is searched for this long. The rarest rule, a fifth Sunday of every February, comes every 28 years, and once after 40: 2100 has no
 * leap day.
 */
const searchMs = 41 * 366 * dayMs

/** Whether a recurrence's `until` has passed. A run at exactly `until` is still made. */
export const isOver = (schedule: Schedule, now: Date): boolean =>
  schedule.type === 'recurring' && schedule.until !== undefined && Date.parse(schedule.until) < now.getTime()

/** Gives the first occurrence after `now`. When no occurrence is left, gives `until`, or undefined when `until` has passed too. */
export function nextDue(schedule: Recurrence, activatedAt: Date, now: Date): Date | undefined {
  const [next] = nextOccurrences(schedule, { activatedAt, after: now, most: 1 })
  if (next) return next.at
  const until = schedule.until === undefined ? undefined : new Date(schedule.until)
  return until && until > now ? until : undefined
}

/** Lists the next occurrences after an instant, at most `most` of them. */
export function nextOccurrences(
  schedule: Recurrence,
  { activatedAt, after, most }: { activatedAt: Date; after: Date; most: number },
): Occurrence[] {
  const found: Occurrence[] = []
  if (most === 0) return found
  for (const one of occurrences(schedule, activatedAt, new Date(after.getTime() + 1), new Date(after.getTime() + searchMs))) {
    if (found.push(one) === most) break
  }
  return found
}

/** Lists every occurrence from `from` to `to`, both included, in order. */
export const occurrencesBetween = (schedule: Recurrence, activatedAt: Date, from: Date, to: Date): Occurrence[] => [
  ...occurrences(schedule, activatedAt, from, to),
]

function* occurrences(schedule: Recurrence, activatedAt: Date, from: Date, to: Date): Generator<Occurrence, undefined> {
  const { localTime, timezone, until, startDate = localDateAt(activatedAt, timezone) } = schedule
  const end = until === undefined ? to.getTime() : Math.min(to.getTime(), Date.parse(until))
  const lastDate = dateAfter(localDateAt(new Date(end), timezone), 1)
  for (let date = dateAfter(localDateAt(from, timezone), -1); date <= lastDate; date = dateAfter(date, 1)) {
    if (!runsOn(schedule, startDate, date)) continue
    const at = instantOf(date, localTime, timezone)
    if (at >= from && at.getTime() <= end) yield { at, localDate: date }
  }
  return undefined
}

/** Whether a recurrence runs on a date. `start`: its `startDate`, or the date of its activation; periods are counted from it. */
function runsOn(schedule: Recurrence, start: string, date: string): boolean {
  const { every, interval = 1, startDate, except } = schedule
  if (startDate !== undefined && date < startDate) return false
  if (!isDayOf(schedule, start, date) || except?.includes(date)) return false
  return interval === 1 || (periodOf(every, date) - periodOf(every, start)) % interval === 0
}

/** Whether a date is one of the days of its week or month. A rule that names no day has the weekday, or the day of the month, of `start`. */
function isDayOf({ every, daysOfWeek, daysOfMonth, nthWeekday }: Recurrence, start: string, date: string): boolean {
  if (every === 'day') return daysOfWeek === undefined || daysOfWeek.includes(weekdayOf(date))
  if (every === 'week') return (daysOfWeek ?? [weekdayOf(start)]).includes(weekdayOf(date))
  const [day, last] = [dayOf(date), lastDayOf(date)]
  if (nthWeekday) {
    const { nth, day: weekday } = nthWeekday
    return weekdayOf(date) === weekday && (nth === -1 ? day > last - 7 : Math.ceil(day / 7) === nth)
  }
  return (daysOfMonth ?? [dayOf(start)]).some((wanted) => day === (wanted === -1 ? last : Math.min(wanted, last)))
}

/** Numbers the days, the weeks from Monday on, or the months. */
function periodOf(every: Recurrence['every'], date: string): number {
  const days = Date.parse(date) / dayMs
  if (every === 'day') return days
  // Day 0 was a Thursday, so the Monday of its week was day -3.
  if (every === 'week') return Math.floor((days + 3) / 7)
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))
}

const dayOf = (date: string): number => Number(date.slice(8))
const lastDayOf = (date: string): number => new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate()
