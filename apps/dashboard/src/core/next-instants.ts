import type { Schedule } from '@herald/contracts/campaign'
import { instantOf, localDateAt, nextInstantOf, weekdayOf } from '@herald/contracts/local-time'
import { nextDue, occurrencesBetween, type Recurrence } from '@herald/contracts/occurrences'
import { zoneOffsetMs } from '@herald/contracts/zone-offset'

/** What a change of the clocks does to an instant of a schedule. */
export type ClockChange = 'skipped' | 'twice' | 'shifted'
export type NextInstant = {
  at: Date
  /** `skipped`: the clocks jump over that local time, so it comes later by the jump. `twice`: they show it twice, the first counts. `shifted`: since the one before, the clocks have changed, so in UTC it is another time of day. */
  change: ClockChange | null
}

const most = 5
const hour = 3_600_000

/** The next five instants of a schedule that begins `now`, in order; fewer when it ends before. */
export function nextInstants(schedule: Schedule, now: Date, zone: string): NextInstant[] {
  switch (schedule.type) {
    case 'now':
      return [{ at: now, change: null }]
    case 'at':
      return [{ at: new Date(schedule.at), change: null }]
    case 'user_timezone':
      return marked([nextInstantOf(schedule.localTime, zone, now)], schedule.localTime, zone)
    case 'recurring':
      return marked(occurrencesAfter(schedule, now), schedule.localTime, schedule.timezone)
  }
}

function occurrencesAfter(schedule: Recurrence, now: Date): Date[] {
  const found: Date[] = []
  for (let after = now; found.length < most;) {
    const next = nextDue(schedule, now, after)
    // After the last occurrence `nextDue` gives `until`, when the recurrence only ends. Nothing is sent then, so it is not listed.
    if (!next || occurrencesBetween(schedule, now, next, next).length === 0) break
    found.push(next)
    after = next
  }
  return found
}

function marked(instants: Date[], localTime: string, zone: string): NextInstant[] {
  return instants.map((at, place) => {
    const before = instants[place - 1]
    const moved = before !== undefined && utcTimeOf(before) !== utcTimeOf(at)
    return { at, change: clockChangeAt(at, localTime, zone) ?? (moved ? 'shifted' : null) }
  })
}

const utcTimeOf = (at: Date): string => at.toISOString().slice(11, 16)

/** Whether the clocks jump over the local time of an instant, or show it twice. */
export function clockChangeAt(at: Date, localTime: string, zone: string): 'skipped' | 'twice' | null {
  if (localTimeAt(at, zone) !== localTime) return 'skipped'
  const again = [0.5, 1, 2].some((hours) => localTimeAt(new Date(at.getTime() + hours * hour), zone) === localTime)
  return again ? 'twice' : null
}

/** The time of day that the clocks of a zone show, `HH:MM`. */
export const localTimeAt = (at: Date, zone: string): string =>
  new Date(at.getTime() + zoneOffsetMs(at.getTime(), zone)).toISOString().slice(11, 16)

/** The instant of a date and a time in a zone, as it is kept; undefined while one of them is not written yet. */
export const instantIn = (date: string, time: string, zone: string): string | undefined =>
  /^\d{4}-\d{2}-\d{2}$/.test(date) && /^\d{2}:\d{2}$/.test(time) ? instantOf(date, time, zone).toISOString() : undefined

/** The first of the next full hours, at least ten minutes away: what an instant begins with. */
export const soon = (now: Date): string => new Date(Math.ceil((now.getTime() + 600_000) / hour) * hour).toISOString()

/** The days of the week in the order of a calendar that begins on Monday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 0] as const
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
/** The weekday that a recurrence without named days runs on, which is that of its first day. */
export const weekdayIn = (now: Date, zone: string): number => weekdayOf(localDateAt(now, zone))
