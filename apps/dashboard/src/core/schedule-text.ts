import { defaultLateMinutes } from '@herald/contracts/late-minutes'
import type { components } from '../api/schema.gen.ts'
import { localTime } from './time.ts'

/** The days of the week from Monday on; 0 is Sunday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 0] as const
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** Says in words when a campaign is sent. */
export function scheduleText(schedule: components['schemas']['Schedule'] | null): string {
  switch (schedule?.type) {
    case 'at':
      return `once, on ${localTime(schedule.at)} (your time)`
    case 'user_timezone':
      if (schedule.date === undefined) return `at ${schedule.localTime} in each user’s own time zone`
      return `at ${schedule.localTime} on ${dayText(schedule.date)}, local time of each user${lateText(schedule.lateMinutes)}`
    case 'recurring': {
      const { except = [], maxRuns, until, startDate } = schedule
      const parts = [
        `${everyText(schedule)} at ${schedule.localTime} in ${schedule.timezone}`,
        ...(startDate === undefined ? [] : [`from ${dayText(startDate)}`]),
        ...(except.length === 0 ? [] : [`except on ${listed(except.map(dayText))}`]),
        ...(maxRuns === undefined ? [] : [maxRuns === 1 ? 'once' : `${maxRuns} times`]),
        ...(until === undefined ? [] : [`until ${localTime(until)} (your time)`]),
      ]
      return parts.join(', ')
    }
    default:
      return 'immediately'
  }
}

type Recurring = Extract<components['schemas']['Schedule'], { type: 'recurring' }>

function everyText({ every, interval = 1, daysOfWeek, daysOfMonth, nthWeekday }: Recurring): string {
  const period = interval === 1 ? `every ${every}` : `every ${interval} ${every}s`
  if (nthWeekday) return `${period} on the ${ordinal(nthWeekday.nth)} ${weekdayNames[nthWeekday.day] ?? ''}`
  if (daysOfMonth) return `${period} on the ${listed(daysOfMonth.map((one) => (one === -1 ? 'last day' : ordinal(one))))}`
  const names = every === 'week' && daysOfWeek ? daysOfWeek.map((one) => weekdayNames[one] ?? '') : []
  if (names.length === 0) return period
  return interval === 1 ? `every ${listed(names)}` : `${period} on ${listed(names)}`
}

/** Writes a place in a month: 1st, 22nd, last. */
function ordinal(place: number): string {
  if (place === -1) return 'last'
  const ending = place > 3 && place < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th')
  return `${place}${ending}`
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
/** Writes a date with its weekday: "Thursday 24 December 2026". */
export const dayText = (date: string): string => `${weekdayNames[new Date(date).getUTCDay()] ?? ''} ${day.format(new Date(date))}`

const lateText = (minutes = defaultLateMinutes): string =>
  minutes === 0 ? '; users for whom it has passed are skipped' : `; users for whom it has passed get it up to ${minutesText(minutes)} late`

/** Writes minutes as whole hours where they are such: 90 minutes, 3 hours. */
export function minutesText(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
