import { expect, test } from 'vitest'
import { scheduleText } from './schedule-text.ts'

test('a schedule is shown in words, a recurrence with its time zone', () => {
  expect(scheduleText(null)).toBe('immediately')
  expect(scheduleText({ type: 'now' })).toBe('immediately')
  expect(scheduleText({ type: 'at', at: '2026-02-06T15:00:00.000Z' })).toMatch(/^once, on .*2026.* \(your time\)$/)
  expect(scheduleText({ type: 'user_timezone', localTime: '08:00' })).toBe('at 08:00 in each user’s own time zone')
  const onDate = { type: 'user_timezone', localTime: '09:00', date: '2026-12-04' } as const
  expect(scheduleText(onDate)).toBe(
    'at 09:00 on Friday 4 December 2026, local time of each user; users for whom it has passed get it up to 1 hour late',
  )
  expect(scheduleText({ ...onDate, lateMinutes: 90 })).toMatch(/get it up to 90 minutes late$/)
  expect(scheduleText({ ...onDate, lateMinutes: 1440 })).toMatch(/get it up to 24 hours late$/)
  expect(scheduleText({ ...onDate, lateMinutes: 0 })).toMatch(/, local time of each user; users for whom it has passed are skipped$/)
  const recurring = { type: 'recurring', localTime: '08:00', timezone: 'Europe/Berlin' } as const
  expect(scheduleText({ ...recurring, every: 'day' })).toBe('every day at 08:00 in Europe/Berlin')
  expect(scheduleText({ ...recurring, every: 'week', daysOfWeek: [1, 3, 5] })).toBe(
    'every Monday, Wednesday and Friday at 08:00 in Europe/Berlin',
  )
  expect(scheduleText({ ...recurring, every: 'week' })).toBe('every week at 08:00 in Europe/Berlin')
  const monthly = { ...recurring, every: 'month' } as const
  expect(scheduleText(monthly)).toBe('every month at 08:00 in Europe/Berlin')
  expect(scheduleText({ ...monthly, interval: 3, daysOfMonth: [1, 22, -1] })).toBe(
    'every 3 months on the 1st, 22nd and last day at 08:00 in Europe/Berlin',
  )
  expect(scheduleText({ ...monthly, nthWeekday: { nth: -1, day: 5 }, startDate: '2026-12-04', maxRuns: 6, except: ['2026-12-25'] })).toBe(
    'every month on the last Friday at 08:00 in Europe/Berlin, from Friday 4 December 2026, except on Friday 25 December 2026, 6 times',
  )
  expect(scheduleText({ ...recurring, every: 'week', interval: 2, daysOfWeek: [1] })).toBe(
    'every 2 weeks on Monday at 08:00 in Europe/Berlin',
  )
})
