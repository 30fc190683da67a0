import { Schedule } from '@herald/contracts/campaign'
import { expect, test } from 'vitest'
import { daysOfText, textOfDays, withDate, withFields, withPeriod, type Recurring } from './recurrence-form.ts'

const daily: Recurring = { type: 'recurring', every: 'day', interval: 2, localTime: '09:00', timezone: 'UTC', except: ['2026-12-24'] }

test('a recurrence of another period is valid, and keeps what does not depend on the period', () => {
  const weekly = withPeriod(daily, 'week', 3)
  expect(weekly).toEqual({ ...daily, every: 'week', daysOfWeek: [3] })
  const monthly = withPeriod(weekly, 'month', 3)
  expect(monthly).toEqual({ ...daily, every: 'month', daysOfMonth: [1] })
  const nth = withFields(monthly, { daysOfMonth: undefined, nthWeekday: { nth: -1, day: 5 } })
  for (const one of [weekly, monthly, nth, withPeriod(nth, 'day', 3)]) expect(Schedule.parse(one)).toEqual(one)
  expect(withPeriod(nth, 'day', 3)).toEqual(daily)
})

test('days of a month are read from a text in any order, and what is no day is refused', () => {
  expect(daysOfText('last, 15 1;15')).toEqual([1, 15, -1])
  expect(textOfDays([1, 15, -1])).toBe('1, 15, last')
  for (const wrong of ['', '0', '32', '1, x', '-1']) expect(daysOfText(wrong)).toBeUndefined()
})

test('a date that is skipped twice is named once', () =>
  expect(withDate(['2026-12-24'], '2026-12-01')).toEqual(withDate(['2026-12-24', '2026-12-01'], '2026-12-24')))
