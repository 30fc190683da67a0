import { dateAfter, weekdayOf } from '@herald/contracts/local-time'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import type { Recurrence } from '@herald/contracts/occurrences'
import { planSend, tick } from './schedule.ts'

const localTimes = ['00:00', '01:30', '02:00', '02:30', '03:00', '23:59']
const until2031 = Temporal.Instant.from('2031-01-01T00:00:00Z').epochMilliseconds

type Change = { zone: string; date: string }

/**
 * Finds every change of the clocks from 2024 to 2030 in every time zone that the runtime knows. `date` is the date in the zone just before the
 * change.
 */
function findChanges(): Change[] {
  return Intl.supportedValuesOf('timeZone').flatMap((zone) => {
    const changes: Change[] = []
    let at = Temporal.Instant.from('2024-01-01T00:00:00Z').toZonedDateTimeISO(zone).getTimeZoneTransition('next')
    while (at && at.epochMilliseconds < until2031) {
      const before = at.subtract({ milliseconds: 1 })
      if (before.offsetNanoseconds !== at.offsetNanoseconds) changes.push({ zone, date: before.toPlainDate().toString() })
      at = at.getTimeZoneTransition('next')
    }
    return changes
  })
}

/** Gives the instant of a local time, computed by another library. `compatible` is the rule of RFC 5545. */
const expectedAt = (date: string, time: string, zone: string): number =>
  Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds

/** Gives the first `count` runs of a recurrence when the sweep is never late: the local date and the instant of each. */
function runsOf(schedule: Recurrence, activatedAt: Date, count: number): { date: string | undefined; at: number }[] {
  const plan = planSend(schedule, activatedAt)
  let dueAt = plan.action === 'sendRecurring' ? plan.dueAt : undefined
  const runs: { date: string | undefined; at: number }[] = []
  while (dueAt && runs.length < count) {
    const { run, missed, nextDue } = tick(schedule, { activatedAt, dueAt, now: dueAt, catchUpSeconds: 0 })
    if (missed > 0 || !run) throw new Error(`${schedule.timezone}: due at ${dueAt.toISOString()} without a run`)
    runs.push({ date: run.localDate, at: run.at.getTime() })
    dueAt = nextDue
  }
  return runs
}

const changes = findChanges()

test('these tests have more than 1,500 changes of the clocks, from more than 100 time zones', () => {
  expect(new Set(changes.map(({ zone }) => zone)).size).toBeGreaterThan(100)
  expect(changes.length).toBeGreaterThan(1_500)
})

for (const localTime of localTimes) {
  // spec: campaigns/clock-changes, campaigns/recurring-once-a-day
  test(`a daily and a weekly recurrence at ${localTime} run once, rightly, around every change of clocks, 2024 to 2030`, () => {
    const wrong = changes.flatMap(({ zone, date }) => {
      const daily: Recurrence = { type: 'recurring', every: 'day', localTime, timezone: zone }
      const weekly: Recurrence = { ...daily, every: 'week', daysOfWeek: [weekdayOf(date)] }
      return [
        { schedule: daily, dates: [-1, 0, 1].map((days) => dateAfter(date, days)) },
        { schedule: weekly, dates: [0, 7].map((days) => dateAfter(date, days)) },
      ].flatMap(({ schedule, dates }) => {
        const expected = dates.map((one) => ({ date: one, at: expectedAt(one, localTime, zone) }))
        const activatedAt = new Date((expected[0]?.at ?? 0) - 1)
        const seen = runsOf(schedule, activatedAt, expected.length)
        return JSON.stringify(seen) === JSON.stringify(expected) ? [] : [{ zone, date, every: schedule.every, seen, expected }]
      })
    })
    expect(wrong).toEqual([])
  })
}
