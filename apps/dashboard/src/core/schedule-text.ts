import type { components } from '../api/schema.gen.ts'
import { localTime } from './time.ts'

/** The days of the week from Monday on; 0 is Sunday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 0] as const
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** Says in words when a campaign is sent. */
export function scheduleText(schedule: components['schemas']['Schedule'] | null): string {
  switch (schedule?.type) {
    case 'at':
      return `once, on ${localTime(schedule.at)} here`
    case 'user_timezone':
      return `at ${schedule.localTime} in each user’s own time zone`
    case 'recurring': {
      const names = schedule.daysOfWeek?.map((day) => weekdayNames[day] ?? '') ?? []
      const when = schedule.every === 'day' ? 'every day' : names.length > 0 ? `every ${listed(names)}` : 'every week'
      const end = schedule.until === undefined ? '' : `, until ${localTime(schedule.until)} here`
      return `${when} at ${schedule.localTime} in ${schedule.timezone}${end}`
    }
    default:
      return 'at once'
  }
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
