import { expect, test } from 'vitest'
import { quietUntil } from './quiet-hours.ts'

const night = { start: '22:00', end: '07:00' }
const until = (hours: { start: string; end: string }, zone: string, at: string) => quietUntil(hours, zone, new Date(at))?.toISOString()

// spec: sending/quiet-hours
test('quiet hours include the minute of their start and not the minute of their end, in the user’s time zone', () => {
  const lunch = { start: '12:00', end: '13:30' }
  expect(until(lunch, 'Europe/Berlin', '2026-07-15T09:59:59.999Z')).toBeUndefined()
  expect(until(lunch, 'Europe/Berlin', '2026-07-15T10:00:00.000Z')).toBe('2026-07-15T11:30:00.000Z')
  expect(until(lunch, 'Europe/Berlin', '2026-07-15T11:29:59.999Z')).toBe('2026-07-15T11:30:00.000Z')
  expect(until(lunch, 'Europe/Berlin', '2026-07-15T11:30:00.000Z')).toBeUndefined()
  expect(until(lunch, 'Asia/Kathmandu', '2026-07-15T10:00:00.000Z')).toBeUndefined()
})

// spec: sending/quiet-hours
test('quiet hours whose end is before their start last over midnight', () => {
  expect(until(night, 'UTC', '2026-07-15T21:59:00Z')).toBeUndefined()
  expect(until(night, 'UTC', '2026-07-15T22:00:00Z')).toBe('2026-07-16T07:00:00.000Z')
  expect(until(night, 'UTC', '2026-07-16T00:00:00Z')).toBe('2026-07-16T07:00:00.000Z')
  expect(until(night, 'UTC', '2026-07-16T06:59:00Z')).toBe('2026-07-16T07:00:00.000Z')
  expect(until(night, 'UTC', '2026-07-16T07:00:00Z')).toBeUndefined()
  expect(until(night, 'Pacific/Kiritimati', '2026-07-15T09:00:00Z')).toBe('2026-07-15T17:00:00.000Z')
})

test('quiet hours end at their local time also in a night in which the clocks change', () => {
  expect(until(night, 'Europe/Berlin', '2026-03-28T22:00:00Z')).toBe('2026-03-29T05:00:00.000Z')
  expect(until(night, 'Europe/Berlin', '2026-10-24T21:00:00Z')).toBe('2026-10-25T06:00:00.000Z')
})

test('when clocks skip the end of quiet hours it moves; when they show it twice the first counts', () => {
  const early = { start: '01:00', end: '02:30' }
  expect(until(early, 'Europe/Berlin', '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:30:00.000Z')
  expect(until(early, 'Europe/Berlin', '2026-10-25T00:00:00Z')).toBe('2026-10-25T00:30:00.000Z')
  expect(until(early, 'Europe/Berlin', '2026-10-25T01:00:00Z')).toBeUndefined()
})

test('at the moment when quiet hours end it is not quiet, tried in six zones through a year', () => {
  for (const zone of ['Europe/Berlin', 'Africa/Cairo', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Apia', 'UTC']) {
    const instants = Array.from({ length: 280 }, (_, index) => new Date(Date.parse('2026-01-01T00:15:00Z') + index * 31 * 3_600_000))
    const ends = instants.flatMap((at) => quietUntil(night, zone, at) ?? [])
    expect(ends.length).toBeGreaterThan(90)
    expect(ends.filter((at) => quietUntil(night, zone, at))).toEqual([])
  }
})
