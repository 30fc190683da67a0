import type { Schedule } from '@herald/contracts/campaign'
import { expect, test } from 'vitest'
import { clockChangeAt, instantIn, localTimeAt, nextInstants, soon } from './next-instants.ts'

const daily: Schedule = { type: 'recurring', every: 'day', localTime: '02:30', timezone: 'Europe/Berlin' }
const shown = (schedule: Schedule, now: string, zone = 'UTC') =>
  nextInstants(schedule, new Date(now), zone).map(({ at, change }) => [at.toISOString(), change])

// spec: dashboard/next-instants
test('a recurrence’s next five instants are shown, marked where a change of the clocks skips or shifts them', () => {
  // In Berlin the clocks jump from 02:00 to 03:00 on 29 March 2026.
  expect(shown(daily, '2026-03-27T12:00:00Z')).toEqual([
    ['2026-03-28T01:30:00.000Z', null],
    ['2026-03-29T01:30:00.000Z', 'skipped'],
    ['2026-03-30T00:30:00.000Z', 'shifted'],
    ['2026-03-31T00:30:00.000Z', null],
    ['2026-04-01T00:30:00.000Z', null],
  ])
})

// spec: dashboard/next-instants
test('a local time that comes twice when the clocks go back is marked, and the first is used', () => {
  // In Berlin the clocks go back from 03:00 to 02:00 on 25 October 2026.
  const [before, change, after] = shown(daily, '2026-10-23T12:00:00Z')
  expect([before, change, after]).toEqual([
    ['2026-10-24T00:30:00.000Z', null],
    ['2026-10-25T00:30:00.000Z', 'twice'],
    ['2026-10-26T01:30:00.000Z', 'shifted'],
  ])
})

// In waves.test.ts of audience the waves of such a message begin at the same instants.
test('a message at nine in each user’s own zone shows nine o’clock there, also after the clocks went forward', () => {
  const atNine: Schedule = { type: 'user_timezone', localTime: '09:00' }
  const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York']
  expect(zones.flatMap((zone) => shown(atNine, '2026-03-28T20:00:00Z', zone).map(([at]) => at))).toEqual([
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T07:00:00.000Z',
    '2026-03-29T13:00:00.000Z',
  ])
})

// spec: campaigns/user-timezone-date, dashboard/next-instants
test('a message on a date shows its instant in the zone, and none where it passed too long ago', () => {
  const onDate: Schedule = { type: 'user_timezone', localTime: '02:30', date: '2026-10-25' }
  expect(shown(onDate, '2026-10-23T12:00:00Z', 'Europe/Berlin')).toEqual([['2026-10-25T00:30:00.000Z', 'twice']])
  expect(shown(onDate, '2026-10-25T01:29:59Z', 'Europe/Berlin')).toEqual([['2026-10-25T00:30:00.000Z', 'twice']])
  expect(shown(onDate, '2026-10-25T01:30:00Z', 'Europe/Berlin')).toEqual([])
})

test('a weekly recurrence shows instants on its weekdays only, and none after its end', () => {
  const weekly: Schedule = { type: 'recurring', every: 'week', daysOfWeek: [1, 4], localTime: '09:00', timezone: 'Asia/Tokyo' }
  expect(shown(weekly, '2026-11-22T12:00:00Z').map(([at]) => at)).toEqual([
    '2026-11-23T00:00:00.000Z',
    '2026-11-26T00:00:00.000Z',
    '2026-11-30T00:00:00.000Z',
    '2026-12-03T00:00:00.000Z',
    '2026-12-07T00:00:00.000Z',
  ])
  // The first recurrence ends at the instant of an occurrence, which still takes place. The second ends on a Sunday at nine, which is none of its
  // days, so nothing is sent.
  expect(shown({ ...weekly, until: '2026-11-26T00:00:00.000Z' }, '2026-11-22T12:00:00Z')).toHaveLength(2)
  expect(shown({ ...weekly, until: '2026-11-29T00:00:00.000Z' }, '2026-11-27T12:00:00Z')).toEqual([])
})

test('every schedule that is no recurrence has one instant', () => {
  expect(shown({ type: 'now' }, '2026-11-22T12:00:00Z')).toEqual([['2026-11-22T12:00:00.000Z', null]])
  expect(shown({ type: 'at', at: '2026-12-01T08:00:00.000Z' }, '2026-11-22T12:00:00Z')).toEqual([['2026-12-01T08:00:00.000Z', null]])
  expect(shown({ type: 'user_timezone', localTime: '09:00' }, '2026-11-22T12:00:00Z', 'Asia/Tokyo')).toEqual([
    ['2026-11-23T00:00:00.000Z', null],
  ])
})

test('a typed date and time count in the chosen zone; the form proposes the first full hour in ten minutes', () => {
  expect(instantIn('2026-12-01', '09:00', 'America/New_York')).toBe('2026-12-01T14:00:00.000Z')
  expect(instantIn('2026-12-01', '', 'America/New_York')).toBeUndefined()
  expect(localTimeAt(new Date('2026-12-01T14:00:00Z'), 'America/New_York')).toBe('09:00')
  expect(clockChangeAt(new Date('2026-12-01T14:00:00Z'), '09:00', 'America/New_York')).toBeNull()
  expect(soon(new Date('2026-12-01T08:49:59Z'))).toBe('2026-12-01T09:00:00.000Z')
  expect(soon(new Date('2026-12-01T08:51:00Z'))).toBe('2026-12-01T10:00:00.000Z')
})
