import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { occurrencesBetween, type Recurrence } from '@herald/contracts/occurrences'

type Rule = Omit<Recurrence, 'type' | 'localTime' | 'timezone' | 'startDate'> & { startDate: string }

const lastOf = (day: number) =>
  day <= 28 ? `BYMONTHDAY=${day}` : `BYMONTHDAY=${[28, 29, 30, 31].filter((one) => one <= day).join(',')};BYSETPOS=-1`

/** Rules, each with the rules of RFC 5545 that mean the same together. */
const rules: { rule: Rule; rfc: string[] }[] = [
  { rule: { every: 'month', startDate: '2024-01-31' }, rfc: [`FREQ=MONTHLY;${lastOf(31)}`] },
  { rule: { every: 'month', startDate: '2024-02-29', interval: 12 }, rfc: [`FREQ=MONTHLY;INTERVAL=12;${lastOf(29)}`] },
  {
    rule: { every: 'month', startDate: '2024-01-01', daysOfMonth: [15, 30, -1, 31, 15] },
    rfc: ['FREQ=MONTHLY;BYMONTHDAY=15,-1', `FREQ=MONTHLY;${lastOf(30)}`],
  },
  { rule: { every: 'month', startDate: '2024-01-31', interval: 3, daysOfMonth: [31] }, rfc: [`FREQ=MONTHLY;INTERVAL=3;${lastOf(31)}`] },
  { rule: { every: 'month', startDate: '2024-01-01', nthWeekday: { nth: 2, day: 2 } }, rfc: ['FREQ=MONTHLY;BYDAY=2TU'] },
  { rule: { every: 'month', startDate: '2024-01-01', nthWeekday: { nth: 5, day: 1 } }, rfc: ['FREQ=MONTHLY;BYDAY=5MO'] },
  {
    rule: { every: 'month', startDate: '2024-01-26', interval: 5, nthWeekday: { nth: -1, day: 0 } },
    rfc: ['FREQ=MONTHLY;INTERVAL=5;BYDAY=-1SU'],
  },
  { rule: { every: 'week', startDate: '2024-12-25', interval: 2 }, rfc: ['FREQ=WEEKLY;INTERVAL=2'] },
  { rule: { every: 'week', startDate: '2024-12-27', interval: 2, daysOfWeek: [0, 1, 4] }, rfc: ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO,TH'] },
  { rule: { every: 'week', startDate: '2024-01-01', interval: 12, daysOfWeek: [6] }, rfc: ['FREQ=WEEKLY;INTERVAL=12;BYDAY=SA'] },
  { rule: { every: 'day', startDate: '2024-02-28', interval: 11 }, rfc: ['FREQ=DAILY;INTERVAL=11'] },
  { rule: { every: 'day', startDate: '2024-01-01', interval: 5, daysOfWeek: [1, 5] }, rfc: ['FREQ=DAILY;INTERVAL=5;BYDAY=MO,FR'] },
]
const localTimes = ['00:00', '00:30', '01:30', '02:30', '09:00', '23:59']
const zones = Intl.supportedValuesOf('timeZone')
const [from, to] = [new Date('2024-01-01T00:00:00Z'), new Date('2032-12-31T23:59:59Z')]

/**
 * Gives the dates of a rule as a library for RFC 5545 computes them. It is asked in UTC, because it leaves out occurrences at a time that the clocks
 * skip, where RFC 5545 (3.3.5) shifts them.
 */
const datesOf = ({ rule, rfc }: (typeof rules)[number]): string[] => {
  const start = `DTSTART;TZID=UTC:${rule.startDate.replaceAll('-', '')}T000000`
  const dates = rfc.flatMap((one) =>
    new RRuleTemporal({ rruleString: `${start}\nRRULE:${one};UNTIL=20330105T000000Z` }).all().map((at) => at.toPlainDate().toString()),
  )
  return [...new Set(dates)].toSorted()
}
const dates = rules.map(datesOf)

/** Gives the instants of local times, computed by a third library. `compatible` is the rule of RFC 5545. */
const instantsOf = (of: string[], localTime: string, zone: string): number[] =>
  of
    .map(
      (date) =>
        Temporal.PlainDateTime.from(`${date}T${localTime}`).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds,
    )
    .filter((at) => at >= from.getTime() && at <= to.getTime())

// spec: campaigns/recurring-rules, campaigns/clock-changes
test('in every time zone, from 2024 to 2032, a recurrence runs at the instants that two RFC 5545 libraries compute', () => {
  expect(zones.length).toBeGreaterThan(400)
  for (const one of dates) expect(one.length).toBeGreaterThan(8)
  const wrong = zones.flatMap((timezone, place) => {
    const turn = place % rules.length
    const rule = rules[turn]!.rule
    const localTime = localTimes[(place + Math.floor(place / rules.length)) % localTimes.length]!
    const seen = occurrencesBetween({ type: 'recurring', ...rule, localTime, timezone }, from, from, to).map(({ at }) => at.getTime())
    const expected = instantsOf(dates[turn]!, localTime, timezone)
    const first = expected.findIndex((at, index) => at !== seen[index])
    if (seen.length === expected.length && first === -1) return []
    return [{ timezone, localTime, rule, seen: [seen.length, seen[first]], expected: [expected.length, expected[first]] }]
  })
  expect(wrong).toEqual([])
})
