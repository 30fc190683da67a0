import { expect, test } from 'vitest'
import { agoOf, axisTimes, dayTime, localTime, untilTomorrow, utcTime, withLocalTimes, zoneText } from './time.ts'

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

test('the instants of a sentence are shown in the zone of the browser', () => {
  const [at, until] = [new Date(2026, 10, 3, 12, 5), new Date(2026, 11, 1, 9, 0)]
  const told = `It waits since ${at.toISOString()}, until ${until.toISOString()}.`
  expect(withLocalTimes(told)).toBe(`It waits since ${localTime(at)}, until ${localTime(until)}.`)
})

// spec: dashboard/times
test('a time of today, yesterday or tomorrow is shown with that word, any other with its date', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 5)
  const noon = at(3, 12).getTime()
  expect([at(3, 0), at(3, 23), at(2, 23), at(4, 0)].map((one) => dayTime(one, noon))).toEqual([
    'today, 00:05',
    'today, 23:05',
    'yesterday, 23:05',
    'tomorrow, 00:05',
  ])
  expect([at(1, 23), at(5, 0)].map((one) => dayTime(one, noon))).toEqual([localTime(at(1, 23)), localTime(at(5, 0))])
  expect(dayTime(at(3, 9), noon, true)).toBe('today, 09:05:00')
  expect(untilTomorrow(noon)).toBe((11 * 60 + 55) * 60_000)
})

// spec: dashboard/times
test('the zone of all times is named with its distance from UTC', () =>
  expect(zoneText(now)).toMatch(/^[\w/+-]+ \(GMT([+-]\d+(:\d\d)?)?\)$/))

// spec: dashboard/times
test("a chart's axis shows times of day in 24 hours, and the day where a day begins", () => {
  const at = (text: string) => Date.parse(text) / 1_000
  const evening = [at('2026-11-03T20:00Z'), at('2026-11-04T00:00Z'), at('2026-11-04T04:00Z')]
  expect(axisTimes(evening, 14_400, 'UTC')).toEqual(['20:00', 'Nov 4', '04:00'])
  expect(axisTimes(evening, 86_400, 'UTC')).toEqual(['Nov 3', 'Nov 4', 'Nov 4'])
  expect(axisTimes([evening[0] ?? 0], 10, 'UTC')).toEqual(['20:00:00'])
})
