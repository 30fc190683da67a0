import { invalidField } from '@herald/contracts/fault'
import { engagementKinds } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import { platforms, type Platform } from '@herald/contracts/platform'
import type { Counted, SeriesBucket, SeriesPoint } from '@herald/contracts/series'

/** Counters of hours are kept for 35 days and then merged into counters of days, which are kept for 400 days. */
export const hoursKeptDays = 35
export const daysKept = 400

/** An answer has at most this many points, since a chart cannot show more. A request for more is refused. */
const mostPoints = 2_000

const hourMs = 3_600_000
const bucketMs: Record<SeriesBucket, number> = { hour: hourMs, day: 24 * hourMs }

/** A request without `from` gets this many buckets: 24 hours or 30 days. */
const usual: Record<SeriesBucket, number> = { hour: 24, day: 30 }

/** Gives the beginning of the UTC hour or day, in Unix milliseconds. */
export const floorTo = (bucket: SeriesBucket, at: number): number => at - (at % bucketMs[bucket])

/**
 * Gives the buckets of a request (spec: administration/series): their beginnings, with `perBucket` points each, and the last one's end, in Unix
 * milliseconds. The last begins before `to`, not after `now`. Fault: invalid_body at `from`.
 */
export function bucketsOf({
  from,
  to,
  bucket,
  perBucket = 1,
  now,
}: {
  from: string | null
  to: string | null
  bucket: SeriesBucket
  perBucket?: number
  now: Date
}): { starts: number[]; until: number } {
  const step = bucketMs[bucket]
  // Without `from` the first bucket is that of the last 24 UTC hours or 30 UTC days.
  const first = floorTo(bucket, from === null ? now.getTime() - (usual[bucket] - 1) * step : Date.parse(from))
  const days = bucket === 'hour' ? hoursKeptDays : daysKept
  if (first < floorTo(bucket, now.getTime() - days * bucketMs.day))
    throw invalidField('from', `must lie within the last ${days} days for a bucket of one ${bucket}`)
  if (first > now.getTime()) throw invalidField('from', 'must not lie ahead')
  const end = Math.min(to === null ? Infinity : Date.parse(to), now.getTime() + 1)
  const count = Math.max(0, Math.ceil((end - first) / step))
  if (count * perBucket > mostPoints)
    throw invalidField('from', `must be later: there would be ${count * perBucket} points, and an answer has at most ${mostPoints}`)
  return { starts: Array.from({ length: count }, (_, place) => first + place * step), until: first + count * step }
}

/** The kinds that are counted over time. The kinds are also names of columns. */
export const countedKinds = ['queued', ...outcomes, ...Object.values(engagementKinds), 'converted'] as const
export type Counts = Record<(typeof countedKinds)[number], number>
export type CountsAt = Counts & { at: Date; platform: Platform }

/** Adds up the counters of several rows. */
export function addUp(rows: Counts[]): Counted {
  const sum: Counted = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
  for (const row of rows) for (const kind of countedKinds) sum[kind] += row[kind]
  return sum
}

/** Gives a point for each bucket, or for each bucket and platform. Where nothing was counted the point has zeros. */
export function pointsOf(starts: number[], rows: CountsAt[], { byPlatform }: { byPlatform: boolean }): SeriesPoint[] {
  const byStart = Map.groupBy(rows, ({ at }) => at.getTime())
  return starts.flatMap((start) => {
    const at = new Date(start).toISOString()
    const here = byStart.get(start) ?? []
    if (!byPlatform) return [{ at, ...addUp(here) }]
    return platforms.map((platform) => ({ at, platform, ...addUp(here.filter((row) => row.platform === platform)) }))
  })
}

/** The stored step of the curve's first minute, and the first that is ten minutes long (migrations/0207). */
const [firstMinute, firstTen] = [-60, 6]

/** Gives the stored steps of a curve up to `last`, in order: a minute each in the first hour, 10 minutes in the first day, then an hour. */
export const stepsUpTo = (last: number): number[] =>
  Array.from({ length: Math.max(0, last - firstMinute + 1) }, (_, place) => firstMinute + place).filter(
    (step) => step < 0 || step >= firstTen,
  )

/** Gives how many seconds after the first report of a campaign's fan-out a step of the campaign's curve begins. */
export function stepSeconds(step: number): number {
  if (step < 0) return (step - firstMinute) * 60
  return step < 144 ? step * 600 : 86_400 + (step - 144) * 3_600
}
