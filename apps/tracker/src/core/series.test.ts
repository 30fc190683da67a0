import { Fault } from '@herald/contracts/fault'
import { expect, test } from 'vitest'
import { bucketsOf, pointsOf, stepSeconds, stepsUpTo } from './series.ts'

const now = new Date('2026-03-29T12:34:56.789Z')
const isoOf = (starts: number[]) => starts.map((start) => new Date(start).toISOString())
const refusal = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return Fault.is(error) ? error.details : error
  }
}

// spec: administration/series
test('buckets are whole UTC hours or days from `from` to `to` or now; without, 24 hours or 30 days', () => {
  const hours = bucketsOf({ from: '2026-03-29T09:59:59.999Z', to: '2026-03-29T12:00:00.000Z', bucket: 'hour', now })
  expect(isoOf(hours.starts)).toEqual(['2026-03-29T09:00:00.000Z', '2026-03-29T10:00:00.000Z', '2026-03-29T11:00:00.000Z'])
  expect(new Date(hours.until).toISOString()).toBe('2026-03-29T12:00:00.000Z')
  const upToNow = { from: '2026-03-29T11:00:00.000Z', bucket: 'hour', now } as const
  for (const to of [null, '2027-01-01T00:00:00.000Z']) {
    expect(isoOf(bucketsOf({ ...upToNow, to }).starts)).toEqual(['2026-03-29T11:00:00.000Z', '2026-03-29T12:00:00.000Z'])
  }
  expect(isoOf(bucketsOf({ from: null, to: null, bucket: 'hour', now }).starts)).toMatchObject({
    length: 24,
    23: '2026-03-29T12:00:00.000Z',
  })
  expect(isoOf(bucketsOf({ from: null, to: null, bucket: 'day', now }).starts)).toMatchObject({
    length: 30,
    29: '2026-03-29T00:00:00.000Z',
  })
  // Days are 24 UTC hours, also when clocks change to summer time in between.
  const days = bucketsOf({ from: '2026-03-27T23:00:00.000Z', to: null, bucket: 'day', now })
  expect(isoOf(days.starts)).toEqual(['2026-03-27T00:00:00.000Z', '2026-03-28T00:00:00.000Z', '2026-03-29T00:00:00.000Z'])
})

// spec: administration/series
test('a `from` that is too long ago, lies ahead, or would make more than 2,000 points is refused', () => {
  const atFrom = [expect.objectContaining({ path: 'from' })]
  const asked = { to: null, now } as const
  expect(refusal(() => bucketsOf({ ...asked, from: '2026-02-22T11:59:59.999Z', bucket: 'hour' }))).toEqual(atFrom)
  expect(refusal(() => bucketsOf({ ...asked, from: '2026-02-22T12:34:56.000Z', bucket: 'hour' }))).toMatchObject({
    starts: { length: 841 },
  })
  expect(refusal(() => bucketsOf({ ...asked, from: '2026-02-22T12:34:56.000Z', bucket: 'hour', perBucket: 3 }))).toEqual(atFrom)
  expect(refusal(() => bucketsOf({ ...asked, from: '2025-02-21T23:59:59.999Z', bucket: 'day' }))).toEqual(atFrom)
  expect(refusal(() => bucketsOf({ ...asked, from: '2025-02-22T00:00:00.000Z', bucket: 'day' }))).toMatchObject({ starts: { length: 401 } })
  expect(refusal(() => bucketsOf({ ...asked, from: '2026-03-29T13:00:00.000Z', bucket: 'hour' }))).toEqual(atFrom)
})

test('a bucket in which nothing was counted has a point with zeros, also for each platform', () => {
  const none = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
  const [one, two] = [Date.UTC(2026, 0, 1, 8), Date.UTC(2026, 0, 1, 9)]
  const rows = [
    { ...none, at: new Date(two), platform: 'ios' as const, sent: 2 },
    { ...none, at: new Date(two), platform: 'web' as const, sent: 3, opened: 1, converted: 2 },
  ]
  expect(pointsOf([one, two], rows, { byPlatform: false })).toEqual([
    { ...none, at: '2026-01-01T08:00:00.000Z' },
    { ...none, at: '2026-01-01T09:00:00.000Z', sent: 5, opened: 1, converted: 2 },
  ])
  const byPlatform = pointsOf([one, two], rows, { byPlatform: true })
  expect(byPlatform.map(({ at, platform, sent }) => [at.slice(11, 13), platform, sent])).toEqual([
    ['08', 'ios', 0],
    ['08', 'android', 0],
    ['08', 'web', 0],
    ['09', 'ios', 2],
    ['09', 'android', 0],
    ['09', 'web', 3],
  ])
})

// spec: administration/curve
test('a curve’s steps are a minute in the first hour, 10 minutes in the first day, then an hour', () => {
  expect([-60, -59, -1, 6, 7, 143, 144, 145].map(stepSeconds)).toEqual([0, 60, 3_540, 3_600, 4_200, 85_800, 86_400, 90_000])
  expect(stepsUpTo(-59)).toEqual([-60, -59])
  expect(stepsUpTo(6).slice(-2)).toEqual([-1, 6])
  expect(stepsUpTo(1_999)).toHaveLength(2_054)
})
