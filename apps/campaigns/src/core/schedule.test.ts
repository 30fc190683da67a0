import type { Schedule } from '@herald/contracts/campaign'
import { expect, test } from 'vitest'
import type { Recurrence } from '@herald/contracts/occurrences'
import { delayed, planSend, tick, whyNotSchedule } from './schedule.ts'

const now = new Date('2026-11-21T12:00:00Z')
const inMs = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString()
const day = 86_400_000

/** Every day at nine in Berlin, which is 08:00 UTC in winter. */
const daily: Recurrence = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'Europe/Berlin' }
const catchUpSeconds = 3600

const tickAt = (schedule: Recurrence, dueAt: string, at: string, activatedAt = '2026-11-20T12:00:00Z') => {
  const { run, missed, nextDue } = tick(schedule, {
    activatedAt: new Date(activatedAt),
    dueAt: new Date(dueAt),
    now: new Date(at),
    catchUpSeconds,
  })
  return { run: run?.localDate, missed, nextDue: nextDue?.toISOString() }
}

/** Gives the first due times of a recurrence that was activated at `activatedAt`, when the sweep is never late. */
function dueTimes(schedule: Recurrence, activatedAt: string, count: number): (string | undefined)[] {
  const plan = planSend(schedule, new Date(activatedAt))
  const times: (string | undefined)[] = [plan.action === 'sendRecurring' ? plan.dueAt.toISOString() : undefined]
  for (let last = times.at(-1); last !== undefined && times.length < count; last = times.at(-1)) {
    times.push(tickAt(schedule, last, last, activatedAt).nextDue)
  }
  return times
}

// spec: campaigns/delay
test('a delay moves only a send that would go out at once; others begin when they say', () => {
  const ten = { action: 'sendLater', dueAt: new Date(inMs(10_000)) }
  expect(delayed(planSend({ type: 'now' }, now), now, 10)).toEqual(ten)
  expect(delayed(planSend({ type: 'at', at: inMs(-day) }, now), now, 10)).toEqual(ten)
  expect(delayed(planSend({ type: 'now' }, now), now, 0)).toEqual({ action: 'sendNow' })
  for (const schedule of [{ type: 'at', at: inMs(1) }, { type: 'user_timezone', localTime: '09:00' }, daily] as const) {
    const plan = planSend(schedule, now, ['UTC'])
    expect(delayed(plan, now, 10)).toEqual(plan)
  }
})

// spec: campaigns/at
test('a campaign scheduled for now or the past is sent now, one for a later time is sent later', () => {
  expect(planSend({ type: 'now' }, now)).toEqual({ action: 'sendNow' })
  for (const passed of [-day, -1, 0]) expect(planSend({ type: 'at', at: inMs(passed) }, now)).toEqual({ action: 'sendNow' })
  expect(planSend({ type: 'at', at: inMs(1) }, now)).toEqual({ action: 'sendLater', dueAt: new Date(inMs(1)) })
})

// spec: campaigns/at, campaigns/recurring-until
test('a schedule’s time may lie at most 365 days ahead, and its `until` must not have passed', () => {
  expect(whyNotSchedule({ type: 'at', at: inMs(365 * day) }, now)).toBeUndefined()
  expect(whyNotSchedule({ type: 'at', at: inMs(365 * day + 1) }, now)?.path).toBe('schedule.at')
  expect(whyNotSchedule({ type: 'at', at: inMs(-365 * day) }, now)).toBeUndefined()
  expect(whyNotSchedule({ ...daily, until: inMs(1) }, now)).toBeUndefined()
  expect(whyNotSchedule({ ...daily, until: inMs(-1) }, now)?.path).toBe('schedule.until')
})

// spec: campaigns/recurring-interval, campaigns/recurring-rules
test('a recurrence that starts more than 365 days ahead, or has no day on which it runs, is refused', () => {
  expect(whyNotSchedule({ ...daily, startDate: '2027-11-21' }, now)).toBeUndefined()
  expect(whyNotSchedule({ ...daily, startDate: '2027-11-23' }, now)?.path).toBe('schedule.startDate')
  // The first of December 2026 is a Tuesday, and so is every seventh day after it.
  const never: Recurrence = { ...daily, interval: 7, startDate: '2026-12-01', daysOfWeek: [3] }
  expect(whyNotSchedule(never, now)?.path).toBe('schedule')
  expect(planSend(never, now)).toMatchObject({ action: 'unplanned' })
})

test('a recurrence whose `until` has passed is not sent', () => {
  expect(planSend({ ...daily, until: inMs(-1) }, now)).toMatchObject({ action: 'unplanned' })
})

test('a send at local times starts when that first comes in a zone, and keeps the moment of the request', () => {
  const schedule: Schedule = { type: 'user_timezone', localTime: '09:00' }
  const dueAt = (...zones: string[]) => {
    const plan = planSend(schedule, now, zones)
    expect(plan).toMatchObject({ action: 'sendLater', localTimesAfter: now })
    return plan.action === 'sendLater' ? plan.dueAt.toISOString() : undefined
  }
  // `now` is noon UTC on a Saturday: 07:00 in New York, 21:00 in Tokyo, 02:00 on Sunday in Kiritimati.
  expect(dueAt('Asia/Tokyo')).toBe('2026-11-22T00:00:00.000Z')
  expect(dueAt('Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati')).toBe('2026-11-21T14:00:00.000Z')
  // A local time of this very minute counts as past, so the send is due a day later.
  expect(dueAt('Etc/GMT+3')).toBe('2026-11-22T12:00:00.000Z')
})

// spec: campaigns/user-timezone-date
test('a dated send starts when first due in a zone: at once within `lateMinutes`, never for an expired zone', () => {
  // `now` is noon UTC on Saturday 21 November.
  const onDate = (localTime: string, zones: string[], lateMinutes?: number) => {
    const plan = planSend({ type: 'user_timezone', localTime, date: '2026-11-21', lateMinutes }, now, zones)
    return plan.action === 'sendLater' ? [plan.dueAt.toISOString(), plan.localTimesAfter] : plan
  }
  expect(onDate('09:00', ['Asia/Tokyo', 'America/New_York', 'America/Los_Angeles'])).toEqual(['2026-11-21T14:00:00.000Z', now])
  expect(onDate('20:30', ['Asia/Tokyo', 'America/New_York'])).toEqual([now.toISOString(), now])
  expect(onDate('20:30', ['Asia/Tokyo', 'America/New_York'], 30)).toEqual(['2026-11-22T01:30:00.000Z', now])
  // When the date has expired in all zones of the app, the send starts at once and skips everybody.
  expect(onDate('09:00', ['Asia/Tokyo', 'Pacific/Kiritimati'])).toEqual([now.toISOString(), now])
})

// spec: campaigns/delay, campaigns/user-timezone-date
test('a delay also moves a dated send that would begin at once, and keeps its lateness’ moment', () => {
  const plan = planSend({ type: 'user_timezone', localTime: '20:30', date: '2026-11-21' }, now, ['Asia/Tokyo'])
  expect(delayed(plan, now, 10)).toEqual({ action: 'sendLater', dueAt: new Date(inMs(10_000)), localTimesAfter: now })
})

// spec: campaigns/user-timezone-passed
test('a date that has passed in every zone on earth is refused, and one over 365 days ahead', () => {
  const on = (date: string, localTime = '12:00', lateMinutes?: number): Schedule => ({
    type: 'user_timezone',
    localTime,
    date,
    lateMinutes,
  })
  expect(whyNotSchedule(on('2026-11-21', '00:00'), now)).toBeUndefined()
  expect(whyNotSchedule(on('2026-11-20', '23:01'), now)).toBeUndefined()
  expect(whyNotSchedule(on('2026-11-20', '23:00'), now)?.path).toBe('schedule.date')
  expect(whyNotSchedule(on('2026-11-20', '23:00', 61), now)).toBeUndefined()
  expect(planSend(on('2026-11-20', '23:00'), now, ['UTC'])).toMatchObject({ action: 'unplanned' })
  // The date begins first 14 hours ahead of UTC.
  expect(whyNotSchedule(on('2027-11-22', '02:00'), now)).toBeUndefined()
  expect(whyNotSchedule(on('2027-11-22', '02:01'), now)?.path).toBe('schedule.date')
})

test('a daily recurrence is due at its local time, also when clocks change; a skipped time is an hour later', () => {
  expect(dueTimes(daily, '2026-10-23T12:00:00Z', 4)).toEqual([
    '2026-10-24T07:00:00.000Z',
    '2026-10-25T08:00:00.000Z',
    '2026-10-26T08:00:00.000Z',
    '2026-10-27T08:00:00.000Z',
  ])
  const atNight: Recurrence = { ...daily, localTime: '02:30' }
  expect(dueTimes(atNight, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'])
  expect(dueTimes(atNight, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:30:00.000Z', '2026-03-30T00:30:00.000Z'])
})

test('a daily recurrence is first due after its activation: today when the local time has not come yet, else tomorrow', () => {
  expect(dueTimes(daily, '2026-11-21T07:59:59Z', 1)).toEqual(['2026-11-21T08:00:00.000Z'])
  expect(dueTimes(daily, '2026-11-21T08:00:00Z', 1)).toEqual(['2026-11-22T08:00:00.000Z'])
})

// spec: campaigns/recurring-days
test('a weekly recurrence is due on its weekdays; without weekdays, on the weekday of its activation in its time zone', () => {
  const weekly: Recurrence = { ...daily, every: 'week' }
  expect(dueTimes({ ...weekly, daysOfWeek: [1, 5] }, '2026-11-21T12:00:00Z', 3)).toEqual([
    '2026-11-23T08:00:00.000Z',
    '2026-11-27T08:00:00.000Z',
    '2026-11-30T08:00:00.000Z',
  ])
  // Saturday noon UTC is already Sunday in Kiritimati, which is 14 hours ahead. Nine o'clock on that Sunday was 19:00 UTC on Saturday.
  const ahead: Recurrence = { ...weekly, timezone: 'Pacific/Kiritimati' }
  expect(dueTimes(ahead, '2026-11-21T12:00:00Z', 2)).toEqual(['2026-11-21T19:00:00.000Z', '2026-11-28T19:00:00.000Z'])
  // In Berlin nine o'clock of this Saturday has passed, so the recurrence is due in a week.
  expect(dueTimes(weekly, '2026-11-21T12:00:00Z', 1)).toEqual(['2026-11-28T08:00:00.000Z'])
})

test('a recurrence that the sweep takes on time makes one run and misses none', () => {
  expect(tickAt(daily, '2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z')).toEqual({
    run: '2026-11-21',
    missed: 0,
    nextDue: '2026-11-22T08:00:00.000Z',
  })
})

// spec: campaigns/recurring-missed
test('after a time without any process only the newest occurrence runs, at most an hour late; others are missed', () => {
  const due = '2026-11-21T08:00:00Z'
  const next = '2026-11-24T08:00:00.000Z'
  expect(tickAt(daily, due, '2026-11-23T09:00:00.000Z')).toEqual({ run: '2026-11-23', missed: 2, nextDue: next })
  expect(tickAt(daily, due, '2026-11-23T09:00:00.001Z')).toEqual({ run: undefined, missed: 3, nextDue: next })
  expect(tickAt(daily, due, '2027-11-21T08:00:00Z')).toMatchObject({ run: '2027-11-21', missed: 365 })
})

// spec: campaigns/recurring-except
test('an excepted date does not run, also when the sweep comes late, and is not counted as missed', () => {
  const without: Recurrence = { ...daily, except: ['2026-11-22', '2026-11-23'] }
  const next = '2026-11-24T08:00:00.000Z'
  expect(tickAt(without, '2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z').nextDue).toBe(next)
  expect(tickAt(without, '2026-11-21T08:00:00Z', '2026-11-23T08:30:00Z')).toEqual({ run: undefined, missed: 1, nextDue: next })
})

// spec: campaigns/recurring-until
test('an occurrence at `until` or before still runs, even half an hour late; from `until` the recurrence is over', () => {
  const last: Recurrence = { ...daily, until: '2026-11-22T08:00:00.000Z' }
  expect(tickAt(last, '2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z').nextDue).toBe('2026-11-22T08:00:00.000Z')
  expect(tickAt(last, '2026-11-22T08:00:00Z', '2026-11-22T08:00:00Z')).toEqual({ run: '2026-11-22', missed: 0, nextDue: undefined })

  const between: Recurrence = { ...daily, until: '2026-11-21T20:00:00.000Z' }
  expect(tickAt(between, '2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z').nextDue).toBe('2026-11-21T20:00:00.000Z')
  expect(tickAt(between, '2026-11-21T20:00:00Z', '2026-11-21T20:00:00Z')).toEqual({ run: undefined, missed: 0, nextDue: undefined })
  // A process comes back after the `until`. The occurrence before the `until` still runs when it is at most an hour late.
  expect(tickAt({ ...daily, until: '2026-11-21T08:10:00.000Z' }, '2026-11-21T08:00:00Z', '2026-11-21T08:30:00Z')).toEqual({
    run: '2026-11-21',
    missed: 0,
    nextDue: undefined,
  })
})

// spec: campaigns/clock-changes
test('an occurrence at a local time that the clocks skip runs once, and the next day’s as usual', () => {
  const atNight: Recurrence = { ...daily, localTime: '02:30' }
  expect(tickAt(atNight, '2026-03-29T01:30:00Z', '2026-03-29T01:30:00Z', '2026-03-01T00:00:00Z')).toEqual({
    run: '2026-03-29',
    missed: 0,
    nextDue: '2026-03-30T00:30:00.000Z',
  })
  // The clocks went from 02:00 to 03:00, so the run was at 03:30. A sweep an hour and a half later makes no second run.
  expect(tickAt(atNight, '2026-03-30T00:30:00Z', '2026-03-29T03:00:00Z', '2026-03-01T00:00:00Z').run).toBeUndefined()
})
