import { expect, test } from 'vitest'
import { scheduleText } from './schedule-text.ts'

test('a schedule is shown in words, a recurrence with its time zone', () => {
  expect(scheduleText(null)).toBe('at once')
  expect(scheduleText({ type: 'now' })).toBe('at once')
  expect(scheduleText({ type: 'at', at: '2026-02-06T15:00:00.000Z' })).toMatch(/^once, on .*2026.* here$/)
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
})
