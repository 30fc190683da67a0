import { expect, test } from 'vitest'
import { currentWave, planWaves, type ToPlan } from './waves.ts'

const startedAt = new Date('2026-03-28T20:00:00.000Z')
const night = { start: '22:00', end: '07:00', action: 'hold' as const }
const planned = (change: Partial<ToPlan>) =>
  planWaves({ zones: [], defaultTimezone: 'UTC', userTimezone: null, holdFor: null, startedAt, ...change })

test('without a local time and quiet hours everybody is sent to now', () => {
  expect(planned({ zones: ['', 'Europe/Berlin', 'Asia/Tokyo'] })).toBeNull()
  expect(planned({ zones: [], holdFor: night })).toBeNull()
})

// spec: campaigns/user-timezone, campaigns/waves
test('zones are sent to at their next local time after the send, those of one instant together, in order', () => {
  const userTimezone = { localTime: '09:00', after: startedAt.toISOString() }

  const waves = planned({ zones: ['America/New_York', 'Europe/Paris', 'Asia/Tokyo', 'Europe/Berlin', 'America/Toronto'], userTimezone })

  expect(waves).toEqual([
    { at: '2026-03-29T00:00:00.000Z', zones: ['Asia/Tokyo'] },
    // The clocks go forward in this night.
    { at: '2026-03-29T07:00:00.000Z', zones: ['Europe/Berlin', 'Europe/Paris'] },
    { at: '2026-03-29T13:00:00.000Z', zones: ['America/New_York', 'America/Toronto'] },
  ])
})

// spec: campaigns/user-timezone
test('nobody’s zone and one that the runtime does not know are the app’s default', () => {
  const userTimezone = { localTime: '09:00', after: startedAt.toISOString() }
  const waves = planned({ zones: ['', 'Mars/Olympus_Mons', 'Asia/Tokyo'], defaultTimezone: 'Asia/Tokyo', userTimezone })
  expect(waves).toEqual([{ at: '2026-03-29T00:00:00.000Z', zones: ['', 'Asia/Tokyo', 'Mars/Olympus_Mons'] }])
})

test('instants that have passed are now', () => {
  const userTimezone = { localTime: '09:00', after: '2026-03-27T12:00:00.000Z' }
  expect(planned({ zones: ['Asia/Tokyo', 'Europe/Berlin'], userTimezone })).toBeNull()
  expect(
    planned({ zones: ['Asia/Tokyo', 'Pacific/Pago_Pago'], userTimezone: { localTime: '10:00', after: '2026-03-28T00:00:00.000Z' } }),
  ).toEqual([
    { at: startedAt.toISOString(), zones: ['Asia/Tokyo'] },
    { at: '2026-03-28T21:00:00.000Z', zones: ['Pacific/Pago_Pago'] },
  ])
})

test('quiet hours are waited for, over midnight and a change of the clocks', () => {
  const waves = planned({ zones: ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Europe/Helsinki'], holdFor: night })
  expect(waves).toEqual([
    // Berlin: 21:00, New York: 16:00.
    { at: startedAt.toISOString(), zones: ['America/New_York', 'Europe/Berlin'] },
    // Tokyo: 05:00.
    { at: '2026-03-28T22:00:00.000Z', zones: ['Asia/Tokyo'] },
    // Helsinki: 22:00; the clocks go forward in this night.
    { at: '2026-03-29T04:00:00.000Z', zones: ['Europe/Helsinki'] },
  ])
})

// spec: campaigns/waves-quiet-hours
test('a local time that lies in quiet hours waits for their end', () => {
  const userTimezone = { localTime: '23:00', after: startedAt.toISOString() }
  expect(planned({ zones: ['Europe/Berlin'], userTimezone, holdFor: night })).toEqual([
    { at: '2026-03-29T05:00:00.000Z', zones: ['Europe/Berlin'] },
  ])
})

test('each wave but the last takes its zones; the last takes whoever is left', () => {
  const waves = [
    { at: '2026-03-29T00:00:00.000Z', zones: ['Asia/Tokyo'] },
    { at: '2026-03-29T07:00:00.000Z', zones: ['Europe/Berlin'] },
  ]
  expect(currentWave({ waves, wave: 0, started_at: startedAt })).toEqual({
    at: new Date('2026-03-29T00:00:00.000Z'),
    zones: ['Asia/Tokyo'],
    claims: true,
    nextAt: '2026-03-29T07:00:00.000Z',
  })
  expect(currentWave({ waves, wave: 1, started_at: startedAt })).toMatchObject({ zones: null, claims: true, nextAt: null })
  expect(currentWave({ waves: waves.slice(0, 1), wave: 0, started_at: startedAt })).toMatchObject({
    zones: null,
    claims: false,
    nextAt: null,
  })
  expect(currentWave({ waves: null, wave: 0, started_at: startedAt })).toEqual({ at: startedAt, zones: null, claims: false, nextAt: null })
})
