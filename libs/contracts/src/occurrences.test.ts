import { expect, test } from 'vitest'
import { dateAfter } from './local-time.ts'
import { nextDue, nextOccurrences, type Recurrence } from './occurrences.ts'

const from = new Date('2024-01-01T00:00:00Z')
const daily: Recurrence = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'Europe/Berlin' }
const monthly: Recurrence = { ...daily, every: 'month' }
const datesOf = (schedule: Recurrence, activatedAt: string, most: number) =>
  nextOccurrences(schedule, { activatedAt: new Date(activatedAt), after: new Date(activatedAt), most }).map(({ localDate }) => localDate)

// spec: campaigns/recurring-month
test('a month that lacks a recurrence’s day runs on its last, once; a missing fifth weekday is left out', () => {
  expect(datesOf({ ...monthly, daysOfMonth: [31] }, '2026-01-01T00:00:00Z', 4)).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
  ])
  expect(datesOf({ ...monthly, daysOfMonth: [29, 30, -1] }, '2028-02-01T00:00:00Z', 4)).toEqual([
    '2028-02-29',
    '2028-03-29',
    '2028-03-30',
    '2028-03-31',
  ])
  expect(datesOf({ ...monthly, nthWeekday: { nth: 5, day: 0 } }, '2026-01-01T00:00:00Z', 3)).toEqual([
    '2026-03-29',
    '2026-05-31',
    '2026-08-30',
  ])
  // A rule that names no day has that of the start.
  expect(datesOf(monthly, '2026-01-30T23:30:00Z', 3)).toEqual(['2026-01-31', '2026-02-28', '2026-03-31'])
})

// spec: campaigns/recurring-interval
test('an interval counts from `startDate` or the activation, in days, weeks from Monday, or months; nothing runs before', () => {
  const biweekly: Recurrence = { ...daily, every: 'week', interval: 2, daysOfWeek: [1, 0] }
  expect(datesOf({ ...biweekly, startDate: '2026-12-20' }, '2026-11-01T00:00:00Z', 4)).toEqual([
    '2026-12-20',
    '2026-12-28',
    '2027-01-03',
    '2027-01-11',
  ])
  expect(datesOf(biweekly, '2026-12-23T12:00:00Z', 2)).toEqual(['2026-12-27', '2027-01-04'])
  expect(datesOf({ ...daily, interval: 3, startDate: '2026-12-30' }, '2026-12-31T12:00:00Z', 2)).toEqual(['2027-01-02', '2027-01-05'])
  expect(datesOf({ ...monthly, interval: 12, startDate: '2024-02-29' }, '2026-01-01T00:00:00Z', 3)).toEqual([
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ])
})

// spec: campaigns/recurring-except
test('a recurrence does not run on a date that it excepts', () => {
  expect(datesOf({ ...daily, except: ['2026-12-25', '2026-12-24', '2030-01-01'] }, '2026-12-23T00:00:00Z', 2)).toEqual([
    '2026-12-23',
    '2026-12-26',
  ])
})

test('the rarest rule is found 40 years ahead, and one that never comes in well under a second', () => {
  const rarest: Recurrence = { ...monthly, interval: 12, startDate: '2088-02-01', nthWeekday: { nth: 5, day: 0 } }
  expect(nextDue(rarest, from, new Date('2088-03-01T00:00:00Z'))).toEqual(new Date('2128-02-29T08:00:00Z'))
  const never: Recurrence = { ...daily, interval: 7, startDate: '2026-12-01', daysOfWeek: [3] }
  const began = performance.now()
  expect(nextDue(never, from, from)).toBeUndefined()
  expect(nextDue({ ...daily, except: Array.from({ length: 100 }, (_, days) => dateAfter('2024-01-01', days)) }, from, from)).toBeDefined()
  expect(performance.now() - began).toBeLessThan(1_000)
})
