import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { zoneOffsetMs } from './zone-offset.ts'

const hour = 3_600_000
const at = (instant: string): number => Date.parse(instant)

test.each([
  ['UTC', '2026-07-01T12:00:00Z', 0],
  ['Asia/Kolkata', '2026-07-01T12:00:00Z', 5.5 * hour],
  ['America/New_York', '2026-03-08T06:59:59.999Z', -5 * hour],
  ['America/New_York', '2026-03-08T07:00:00Z', -4 * hour],
  ['Europe/Berlin', '2026-10-25T00:59:59.999Z', 2 * hour],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', hour],
  ['Pacific/Apia', '2011-12-30T09:59:59Z', -10 * hour],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', 14 * hour],
] as const)('%s at %s', (zone, instant, offset) => {
  expect(zoneOffsetMs(at(instant), zone)).toBe(offset)
})

test('an offset is the same whatever was asked before, also around a change', () => {
  const near = fc.integer({ min: at('2026-03-28T00:00:00Z'), max: at('2026-03-30T23:59:59Z') })
  fc.assert(
    fc.property(near, (instant) => {
      expect(zoneOffsetMs(instant, 'Europe/Berlin')).toBe(instant < at('2026-03-29T01:00:00Z') ? hour : 2 * hour)
    }),
  )
})

test('more days than are remembered are told as well', () => {
  const day = 86_400_000
  for (const n of Array(50_100).keys()) zoneOffsetMs(n * day, 'UTC')
  expect(zoneOffsetMs(at('2026-07-01T12:00:00Z'), 'Europe/Berlin')).toBe(2 * hour)
})
