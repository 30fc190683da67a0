import { expect, test } from 'vitest'
import { localDateAt } from './local-time.ts'
import { findTimeZone, TimeZone } from './text.ts'
import { zoneAliases } from './zone-aliases.ts'
import { clockOf } from './zone-clock.ts'
import { zoneOffsetMs } from './zone-offset.ts'

/** A name in as many letter cases as wanted. */
const spellings = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, no) =>
    Array.from(name, (letter, place) => ((no >> (place % 16)) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join(''),
  )

// spec: identity/time-zone
test('a name that stands for another zone is stored in its usual spelling, however it is written', () => {
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

test('ten thousand spellings are one name and one formatter', () => {
  const written = spellings('America/Argentina/ComodRivadavia', 10_000)
  expect(new Set(written).size).toBe(10_000)
  expect(new Set(written.map(findTimeZone))).toEqual(new Set(['America/Argentina/ComodRivadavia']))
  expect(new Set(written.map(clockOf)).size).toBe(1)
})

test('formatters in use stay while all others come and go', () => {
  const kept = clockOf('Asia/Kolkata')
  for (const zone of [...Intl.supportedValuesOf('timeZone'), ...zoneAliases.values()]) {
    clockOf(zone)
    expect(clockOf('Asia/Kolkata')).toBe(kept)
  }
})

test('a zone tells the same time however it is spelt', () => {
  const at = new Date('2026-06-15T20:00:00Z')
  for (const zone of spellings('Asia/Kolkata', 50)) {
    expect(localDateAt(at, zone)).toBe('2026-06-16')
    expect(zoneOffsetMs(at.getTime(), zone)).toBe(5.5 * 3_600_000)
  }
})
