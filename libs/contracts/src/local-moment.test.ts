import { expect, test } from 'vitest'
import { dueIn, hasPassedEverywhere } from './local-moment.ts'

const due = (
  date: string,
  zone: string,
  asked: string,
  { localTime = '09:00', lateMinutes }: { localTime?: string; lateMinutes?: number } = {},
) => {
  const at = dueIn({ localTime, date, lateMinutes }, zone, new Date(asked))
  return at === 'expired' ? at : at.toISOString()
}
const longBefore = '2026-12-01T00:00:00Z'

// spec: campaigns/user-timezone-date
test('a date and time come in each zone by its own clocks, 14 hours before UTC to 12 behind', () => {
  expect(due('2026-12-04', 'Pacific/Kiritimati', longBefore)).toBe('2026-12-03T19:00:00.000Z')
  expect(due('2026-12-04', 'UTC', longBefore)).toBe('2026-12-04T09:00:00.000Z')
  expect(due('2026-12-04', 'Etc/GMT+12', longBefore)).toBe('2026-12-04T21:00:00.000Z')
  // Apia and Pago Pago are 130 km apart, on the two sides of the date line.
  expect(due('2026-12-04', 'Pacific/Apia', longBefore)).toBe('2026-12-03T20:00:00.000Z')
  expect(due('2026-12-04', 'Pacific/Pago_Pago', longBefore)).toBe('2026-12-04T20:00:00.000Z')
  expect(due('2028-02-29', 'Asia/Kathmandu', longBefore, { localTime: '00:00' })).toBe('2028-02-28T18:15:00.000Z')
})

// spec: campaigns/user-timezone-date, campaigns/clock-changes
test('on a date whose local time clocks skip the send is later; of a doubled time the first counts', () => {
  expect(due('2027-03-28', 'Europe/Berlin', longBefore, { localTime: '02:30' })).toBe('2027-03-28T01:30:00.000Z')
  expect(due('2027-10-31', 'Europe/Berlin', longBefore, { localTime: '02:30' })).toBe('2027-10-31T00:30:00.000Z')
  // A late send counts from these instants too.
  expect(due('2027-10-31', 'Europe/Berlin', '2027-10-31T01:30:00Z', { localTime: '02:30' })).toBe('expired')
  expect(due('2027-03-28', 'Europe/Berlin', '2027-03-28T02:29:59Z', { localTime: '02:30' })).toBe('2027-03-28T01:30:00.000Z')
})

// spec: campaigns/user-timezone-date
test('a send asked for after its time still goes out within `lateMinutes`, which are 60 by default', () => {
  const at = '2026-12-04T09:00:00.000Z'
  expect(due('2026-12-04', 'UTC', '2026-12-04T09:59:59.999Z')).toBe(at)
  expect(due('2026-12-04', 'UTC', '2026-12-04T10:00:00.000Z')).toBe('expired')
  expect(due('2026-12-04', 'UTC', '2026-12-05T08:59:59.999Z', { lateMinutes: 1440 })).toBe(at)
  expect(due('2026-12-04', 'UTC', '2026-12-05T09:00:00.000Z', { lateMinutes: 1440 })).toBe('expired')
  expect(due('2026-12-04', 'UTC', at, { lateMinutes: 0 })).toBe(at)
  expect(due('2026-12-04', 'UTC', '2026-12-04T09:00:00.001Z', { lateMinutes: 0 })).toBe('expired')
})

// spec: campaigns/user-timezone-passed
test('a date has passed on earth when it is too late even 12 hours behind UTC', () => {
  const moment = { localTime: '09:00', date: '2026-12-04' }
  expect(hasPassedEverywhere(moment, new Date('2026-12-04T21:59:59.999Z'))).toBe(false)
  expect(hasPassedEverywhere(moment, new Date('2026-12-04T22:00:00.000Z'))).toBe(true)
  expect(hasPassedEverywhere({ ...moment, lateMinutes: 1440 }, new Date('2026-12-05T20:59:59.999Z'))).toBe(false)
  expect(hasPassedEverywhere({ localTime: '09:00' }, new Date('2026-12-04T22:00:00.000Z'))).toBe(false)
})
