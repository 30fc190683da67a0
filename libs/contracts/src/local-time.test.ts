import { expect, test } from 'vitest'
import { dateAfter, instantOf, localDateAt, nextInstantOf, weekdayOf } from './local-time.ts'

const at = (date: string, time: string, zone: string) => instantOf(date, time, zone).toISOString()

test('a local time becomes the right instant in summer and winter, also in zones with odd offsets', () => {
  expect(at('2026-01-15', '09:00', 'Europe/Berlin')).toBe('2026-01-15T08:00:00.000Z')
  expect(at('2026-07-15', '09:00', 'Europe/Berlin')).toBe('2026-07-15T07:00:00.000Z')
  expect(at('2026-07-15', '00:00', 'America/New_York')).toBe('2026-07-15T04:00:00.000Z')
  expect(at('2026-07-15', '00:00', 'Pacific/Kiritimati')).toBe('2026-07-14T10:00:00.000Z')
  expect(at('2026-07-15', '23:59', 'Pacific/Pago_Pago')).toBe('2026-07-16T10:59:00.000Z')
  expect(at('2026-07-15', '09:00', 'Asia/Kathmandu')).toBe('2026-07-15T03:15:00.000Z')
  expect(at('2026-07-15', '09:00', 'UTC')).toBe('2026-07-15T09:00:00.000Z')
})

// spec: campaigns/clock-changes
test('a local time that does not exist because the clocks go forward is moved by as much as the clocks', () => {
  expect(at('2026-03-29', '01:59', 'Europe/Berlin')).toBe('2026-03-29T00:59:00.000Z')
  expect(at('2026-03-29', '02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
  expect(at('2026-03-29', '03:00', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z')
  expect(at('2026-03-08', '02:30', 'America/New_York')).toBe('2026-03-08T07:30:00.000Z')
  expect(at('2026-10-04', '02:15', 'Australia/Lord_Howe')).toBe('2026-10-03T15:45:00.000Z')
  // Here the clocks skip midnight itself, so the time becomes one o'clock of the same day.
  expect(at('2026-04-24', '00:00', 'Africa/Cairo')).toBe('2026-04-23T22:00:00.000Z')
})

// spec: campaigns/clock-changes
test('a local time that comes twice because the clocks go back means the first of the two instants', () => {
  expect(at('2026-10-25', '02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
  expect(at('2026-10-25', '03:00', 'Europe/Berlin')).toBe('2026-10-25T02:00:00.000Z')
  expect(at('2026-11-01', '01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z')
  expect(at('2026-04-05', '01:45', 'Australia/Lord_Howe')).toBe('2026-04-04T14:45:00.000Z')
})

test('in six zones 02:15 of each day in two years follows the day before’s; two days may differ', () => {
  const zones = ['Europe/Berlin', 'America/St_Johns', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Asia/Tehran', 'America/Santiago']
  for (const zone of zones) {
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    let before = 0
    let shifted = 0
    for (let date = '2026-01-01'; date < '2028-01-01'; date = dateAfter(date, 1)) {
      const instant = instantOf(date, '02:15', zone)
      expect(localDateAt(instant, zone)).toBe(date)
      const shown = clock.format(instant)
      if (shown !== '02:15') shifted += 1
      expect(['02:15', '02:45', '03:15']).toContain(shown)
      expect(instant.getTime()).toBeGreaterThan(before)
      before = instant.getTime()
    }
    expect(shifted).toBeLessThanOrEqual(2)
  }
})

test('adding days to a date is right across months, years and leap days, and a date knows its weekday', () => {
  expect(dateAfter('2026-12-31', 1)).toBe('2027-01-01')
  expect(dateAfter('2028-02-28', 1)).toBe('2028-02-29')
  expect(dateAfter('2026-03-01', -1)).toBe('2026-02-28')
  expect([weekdayOf('2026-11-22'), weekdayOf('2026-11-23')]).toEqual([0, 1])
})

const next = (time: string, zone: string, after: string) => nextInstantOf(time, zone, new Date(after)).toISOString()

test('the next occurrence of a local time is today, or tomorrow when today’s has passed', () => {
  expect(next('09:00', 'Europe/Berlin', '2026-07-15T06:59:59.999Z')).toBe('2026-07-15T07:00:00.000Z')
  expect(next('09:00', 'Europe/Berlin', '2026-07-15T07:00:00.000Z')).toBe('2026-07-16T07:00:00.000Z')
  expect(next('00:30', 'Pacific/Kiritimati', '2026-07-15T09:00:00.000Z')).toBe('2026-07-15T10:30:00.000Z')
  expect(next('23:30', 'Pacific/Pago_Pago', '2026-07-15T09:00:00.000Z')).toBe('2026-07-15T10:30:00.000Z')
})

test('the next occurrence is moved when clocks skip its time, and comes once when they show it twice', () => {
  expect(next('02:30', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z')
  expect(next('02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z')).toBe('2026-03-30T00:30:00.000Z')
  expect(next('02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z')
})

test('going from one next occurrence to the following one reaches each of 400 dates once', () => {
  for (const zone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Cairo', 'UTC']) {
    const dates: string[] = []
    for (let at = new Date('2026-01-01T00:00:00Z'); dates.length < 400;) {
      at = nextInstantOf('00:15', zone, at)
      dates.push(localDateAt(at, zone))
    }
    expect(dates).toEqual(dates.map((_, index) => dateAfter(dates[0] ?? '', index)))
  }
})
