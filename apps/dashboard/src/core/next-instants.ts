import type { Schedule } from '@herald/contracts/campaign'
import { dueIn } from '@herald/contracts/local-moment'
import { instantOf, localDateAt, weekdayOf } from '@herald/contracts/local-time'
import { nextOccurrences } from '@herald/contracts/occurrences'
import { zoneOffsetMs } from '@herald/contracts/zone-offset'

/** What a change of the clocks does to an instant of a schedule. */
export type ClockChange = 'skipped' | 'twice' | 'shifted'
export type NextInstant = {
  at: Date
  /**
   * `skipped`: the clocks jump over the local time on this day and show a later one. `twice`: they show it twice; this is the first. `shifted`: they
   * have changed since the instant before. Null: no change concerns the instant.
   */
  change: ClockChange | null
}

const most = 5
const hour = 3_600_000

/**
 * Gives the next instants at which a schedule sends: at most five of a recurrence, one of any other. In users' own time zones it is that of `zone`;
 * none when its date has passed there too long ago.
 */
export function nextInstants(schedule: Schedule, now: Date, zone: string): NextInstant[] {
  switch (schedule.type) {
    case 'now':
      return [{ at: now, change: null }]
    case 'at':
      return [{ at: new Date(schedule.at), change: null }]
    case 'user_timezone': {
      const at = dueIn(schedule, zone, now)
      return at === 'expired' ? [] : marked([at], schedule.localTime, zone)
    }
    case 'recurring':
      return marked(
        nextOccurrences(schedule, { activatedAt: now, after: now, most: Math.min(most, schedule.maxRuns ?? most) }).map(({ at }) => at),
        schedule.localTime,
        schedule.timezone,
      )
  }
}

function marked(instants: Date[], localTime: string, zone: string): NextInstant[] {
  return instants.map((at, place) => {
    const before = instants[place - 1]
    const moved = before !== undefined && utcTimeOf(before) !== utcTimeOf(at)
    return { at, change: clockChangeAt(at, localTime, zone) ?? (moved ? 'shifted' : null) }
  })
}

const utcTimeOf = (at: Date): string => at.toISOString().slice(11, 16)

/**
 * Says whether the clocks of a zone jump over `localTime` on the day of an instant (`skipped`), or show it twice (`twice`); null for neither. `at` is
 * when the schedule sends: the first of the two.
 */
export function clockChangeAt(at: Date, localTime: string, zone: string): 'skipped' | 'twice' | null {
  if (localTimeAt(at, zone) !== localTime) return 'skipped'
  const again = [0.5, 1, 2].some((hours) => localTimeAt(new Date(at.getTime() + hours * hour), zone) === localTime)
  return again ? 'twice' : null
}

/** Gives the time of day that clocks in a zone show at an instant, as `HH:MM`. */
export const localTimeAt = (at: Date, zone: string): string =>
  new Date(at.getTime() + zoneOffsetMs(at.getTime(), zone)).toISOString().slice(11, 16)

/** Gives the instant of a date and a time in a zone; undefined while one of the two is not written yet. */
export const instantIn = (date: string, time: string, zone: string): string | undefined =>
  /^\d{4}-\d{2}-\d{2}$/.test(date) && /^\d{2}:\d{2}$/.test(time) ? instantOf(date, time, zone).toISOString() : undefined

/** Gives the first full hour that is at least ten minutes away, which the form proposes for a new schedule. */
export const soon = (now: Date): string => new Date(Math.ceil((now.getTime() + 600_000) / hour) * hour).toISOString()

/**
 * Gives the weekday of today in a zone. The form shows it for a weekly recurrence that names no day, because such a recurrence runs on the weekday on
 * which it is activated.
 */
export const weekdayIn = (now: Date, zone: string): number => weekdayOf(localDateAt(now, zone))
