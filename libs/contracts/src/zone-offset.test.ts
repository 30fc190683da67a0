import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { localDateAt } from './local-time.ts'
import { findTimeZone, TimeZone } from './text.ts'
import { zoneAliases } from './zone-aliases.ts'
import { clockOf, zoneOffsetMs } from './zone-offset.ts'

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
] as const)('in %s at %s the clocks are ahead of UTC by %i ms', (zone, instant, offset) => {
  expect(zoneOffsetMs(at(instant), zone)).toBe(offset)
})

test('a zone’s offset is right in whatever order instants are asked for, also around a clock change', () => {
  const near = fc.integer({ min: at('2026-03-28T00:00:00Z'), max: at('2026-03-30T23:59:59Z') })
  fc.assert(
    fc.property(near, (instant) => {
      expect(zoneOffsetMs(instant, 'Europe/Berlin')).toBe(instant < at('2026-03-29T01:00:00Z') ? hour : 2 * hour)
    }),
  )
})

test('a zone’s offset is still right after more days were asked for than Herald remembers', () => {
  const day = 86_400_000
  for (const n of Array(50_100).keys()) zoneOffsetMs(n * day, 'UTC')
  expect(zoneOffsetMs(at('2026-07-01T12:00:00Z'), 'Europe/Berlin')).toBe(2 * hour)
})

const spellings = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, no) =>
    Array.from(name, (letter, place) => ((no >> (place % 16)) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join(''),
  )

// spec: identity/time-zone
test('an alias of a time zone is stored in its usual spelling, in whatever letter case it is written', () => {
  for (const [written, stored] of [
    ['ASIA/KOLKATA', 'Asia/Kolkata'],
    ['us/pacific', 'US/Pacific'],
    ['europe/KYIV', 'Europe/Kyiv'],
    ['gmt', 'GMT'],
    ['america/argentina/comodrivadavia', 'America/Argentina/ComodRivadavia'],
  ] as const)
    expect(TimeZone.parse(written)).toBe(stored)
  for (const name of zoneAliases.values()) expect(findTimeZone(name.toUpperCase())).toBe(name)
})

test('ten thousand spellings of a time zone share one name and one formatter', () => {
  const written = spellings('America/Argentina/ComodRivadavia', 10_000)
  expect(new Set(written).size).toBe(10_000)
  expect(new Set(written.map(findTimeZone))).toEqual(new Set(['America/Argentina/ComodRivadavia']))
  expect(new Set(written.map(clockOf)).size).toBe(1)
})

test('a formatter that is in use stays in memory while formatters of all other zones are made', () => {
  const kept = clockOf('Asia/Kolkata')
  for (const zone of [...Intl.supportedValuesOf('timeZone'), ...zoneAliases.values()]) {
    clockOf(zone)
    expect(clockOf('Asia/Kolkata')).toBe(kept)
  }
})

test('a zone has the same time in whatever letter case its name is written', () => {
  const at = new Date('2026-06-15T20:00:00Z')
  for (const zone of spellings('Asia/Kolkata', 50)) {
    expect(localDateAt(at, zone)).toBe('2026-06-16')
    expect(zoneOffsetMs(at.getTime(), zone)).toBe(5.5 * 3_600_000)
  }
})
