import { expect, test } from 'vitest'
import { agoOf, utcTime } from './time.ts'

const now = Date.parse('2026-11-03T12:00:00Z')

test.each([
  ['2026-11-03T11:59:58Z', 'just now'],
  ['2026-11-03T11:59:30Z', '30 seconds ago'],
  ['2026-11-03T11:00:00Z', '1 hour ago'],
  ['2026-11-02T11:00:00Z', 'yesterday'],
  ['2026-11-03T12:05:00Z', 'in 5 minutes'],
  ['2024-11-01T00:00:00Z', '2 years ago'],
])('at noon, %s is shown as "%s"', (at, told) => expect(agoOf(at, now)).toBe(told))

test('a time is shown in UTC to the second', () => expect(utcTime('2026-11-03T12:00:04.9+01:00')).toBe('2026-11-03 11:00:04 UTC'))
