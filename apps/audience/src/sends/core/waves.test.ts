import { expect, test } from 'vitest'
import { currentWave, planWaves, type ToPlan } from './waves.ts'

const startedAt = new Date('2026-03-28T20:00:00.000Z')
const night = { start: '22:00', end: '07:00', action: 'hold' as const }
const planned = (change: Partial<ToPlan>) =>
  planWaves({ zones: [], defaultTimezone: 'UTC', userTimezone: null, holdFor: null, startedAt, ...change })

test('a send goes to all at once without a local time or quiet hours to wait for, or without users', () => {
  expect(planned({ zones: ['', 'Europe/Berlin', 'Asia/Tokyo'] })).toBeNull()
  expect(planned({ zones: [], holdFor: night })).toBeNull()
})

// spec: campaigns/user-timezone, campaigns/waves
test('a send at a local time goes to each zone at its next; simultaneous zones are one wave', () => {
  const userTimezone = { localTime: '09:00', after: startedAt.toISOString() }

  const waves = planned({ zones: ['America/New_York', 'Europe/Paris', 'Asia/Tokyo', 'Europe/Berlin', 'America/Toronto'], userTimezone })

  expect(waves).toEqual([
    { at: '2026-03-29T00:00:00.000Z', zones: ['Asia/Tokyo'] },
    // In the European Union the clocks go forward in this night.
    { at: '2026-03-29T07:00:00.000Z', zones: ['Europe/Berlin', 'Europe/Paris'] },
    { at: '2026-03-29T13:00:00.000Z', zones: ['America/New_York', 'America/Toronto'] },
  ])
})

// spec: campaigns/user-timezone
test('a user without a time zone, or with an unknown one, counts in the app’s default zone', () => {
  const userTimezone = { localTime: '09:00', after: startedAt.toISOString() }
  const waves = planned({ zones: ['', 'Mars/Olympus_Mons', 'Asia/Tokyo'], defaultTimezone: 'Asia/Tokyo', userTimezone })
  expect(waves).toEqual([{ at: '2026-03-29T00:00:00.000Z', zones: ['', 'Asia/Tokyo', 'Mars/Olympus_Mons'] }])
})

test('a wave whose instant has passed begins with the send', () => {
  const userTimezone = { localTime: '09:00', after: '2026-03-27T12:00:00.000Z' }
  expect(planned({ zones: ['Asia/Tokyo', 'Europe/Berlin'], userTimezone })).toBeNull()
  expect(
    planned({ zones: ['Asia/Tokyo', 'Pacific/Pago_Pago'], userTimezone: { localTime: '10:00', after: '2026-03-28T00:00:00.000Z' } }),
  ).toEqual([
    { at: startedAt.toISOString(), zones: ['Asia/Tokyo'] },
    { at: '2026-03-28T21:00:00.000Z', zones: ['Pacific/Pago_Pago'] },
  ])
})

// spec: campaigns/user-timezone-date, campaigns/waves
test('of a dated send the expired zones are the first wave, and those a little past go at the start', () => {
  // The send was asked for at 05:00 on Sunday in Tokyo, at 21:00 on Saturday in Berlin.
  const userTimezone = { localTime: '20:30', date: '2026-03-28', lateMinutes: 60, after: '2026-03-28T20:00:00.000Z' }
  const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'Europe/Helsinki', '']
  expect(planned({ zones, userTimezone })).toEqual([
    { at: startedAt.toISOString(), zones: ['Asia/Tokyo', 'Europe/Helsinki', 'Pacific/Kiritimati'], expired: true },
    { at: startedAt.toISOString(), zones: ['Europe/Berlin'] },
    { at: '2026-03-28T20:30:00.000Z', zones: [''] },
    { at: '2026-03-29T00:30:00.000Z', zones: ['America/New_York'] },
  ])
  expect(planned({ zones: ['Asia/Tokyo'], userTimezone })).toEqual([{ at: startedAt.toISOString(), zones: ['Asia/Tokyo'], expired: true }])
  expect(planned({ zones: ['Europe/Berlin'], userTimezone })).toBeNull()
  // What decides is when the send was asked for: a send that starts late, for example after an outage, still goes to everybody.
  const late = new Date('2026-03-29T03:00:00.000Z')
  expect(planned({ zones: ['Europe/Berlin', 'America/New_York'], userTimezone, startedAt: late })).toBeNull()
  // An expired zone does not wait for the end of its quiet hours.
  expect(planned({ zones: ['Asia/Tokyo'], userTimezone, holdFor: night })).toEqual([
    { at: startedAt.toISOString(), zones: ['Asia/Tokyo'], expired: true },
  ])
})

test('a send waits for the end of quiet hours, also over midnight and a change of the clocks', () => {
  const waves = planned({ zones: ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Europe/Helsinki'], holdFor: night })
  expect(waves).toEqual([
    // The send begins at 21:00 in Berlin and at 16:00 in New York: no quiet hours.
    { at: startedAt.toISOString(), zones: ['America/New_York', 'Europe/Berlin'] },
    // The send begins at 05:00 in Tokyo and waits for the end of the quiet hours.
    { at: '2026-03-28T22:00:00.000Z', zones: ['Asia/Tokyo'] },
    // The send begins at 22:00 in Helsinki, where the clocks go forward in this night.
    { at: '2026-03-29T04:00:00.000Z', zones: ['Europe/Helsinki'] },
  ])
})

// spec: campaigns/waves-quiet-hours
test('a wave whose local time is in quiet hours begins at their end', () => {
  const userTimezone = { localTime: '23:00', after: startedAt.toISOString() }
  expect(planned({ zones: ['Europe/Berlin'], userTimezone, holdFor: night })).toEqual([
    { at: '2026-03-29T05:00:00.000Z', zones: ['Europe/Berlin'] },
  ])
})

test('each wave goes to the users of its zones, the last wave to all whom none took', () => {
  const waves = [
    { at: '2026-03-29T00:00:00.000Z', zones: ['Asia/Tokyo'] },
    { at: '2026-03-29T07:00:00.000Z', zones: ['Europe/Berlin'] },
  ]
  expect(currentWave({ waves, wave: 0, startedAt: startedAt })).toEqual({
    at: new Date('2026-03-29T00:00:00.000Z'),
    zones: ['Asia/Tokyo'],
    claims: true,
    expired: false,
    nextAt: '2026-03-29T07:00:00.000Z',
  })
  expect(currentWave({ waves, wave: 1, startedAt: startedAt })).toMatchObject({ zones: null, claims: true, nextAt: null })
  expect(currentWave({ waves: waves.slice(0, 1), wave: 0, startedAt: startedAt })).toMatchObject({
    zones: null,
    claims: false,
    nextAt: null,
  })
  expect(currentWave({ waves: null, wave: 0, startedAt: startedAt })).toEqual({
    at: startedAt,
    zones: null,
    claims: false,
    expired: false,
    nextAt: null,
  })
})
