import { invalidField } from '@herald/contracts/fault'
import { engagementKinds } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import { platforms, type Platform } from '@herald/contracts/platform'
import type { Counted, SeriesBucket, SeriesPoint } from '@herald/contracts/series'

/** Hours are kept so long, then they become days, which are kept as long as a year and what is left of its last month. */
export const hoursKeptDays = 35
export const daysKept = 400

/** More is refused: nobody sees more points in a chart. */
const mostPoints = 2_000

const hourMs = 3_600_000
const bucketMs: Record<SeriesBucket, number> = { hour: hourMs, day: 24 * hourMs }

/** So many buckets there are when nobody says from when. */
const usual: Record<SeriesBucket, number> = { hour: 24, day: 30 }

/** The beginning of the UTC hour or day, in Unix milliseconds. */
export const floorTo = (bucket: SeriesBucket, at: number): number => at - (at % bucketMs[bucket])

/**
 * The buckets from that of `from` on (null: the last 24 hours or 30 days) that begin before `to`, or, if that is earlier, not after `now`: their beginnings in Unix milliseconds, and the end of the last. `perBucket`: how many points
 * each has. Fault: invalid_body at `from` (spec: administration/series).
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

/** The kinds of counters that move over time, which are also names of columns. */
export const countedKinds = ['queued', ...outcomes, ...Object.values(engagementKinds)] as const
export type Counts = Record<(typeof countedKinds)[number], number>
export type CountsAt = Counts & { at: Date; platform: Platform }

/** What was counted in all of these. */
export function sumOf(rows: Counts[]): Counted {
  const sum: Counted = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
  for (const row of rows) for (const kind of countedKinds) sum[kind] += row[kind]
  return sum
}

/** A point for each bucket, or for each bucket and platform, also where nothing was counted. */
export function pointsOf(starts: number[], rows: CountsAt[], { byPlatform }: { byPlatform: boolean }): SeriesPoint[] {
  const byStart = Map.groupBy(rows, ({ at }) => at.getTime())
  return starts.flatMap((start) => {
    const at = new Date(start).toISOString()
    const here = byStart.get(start) ?? []
    if (!byPlatform) return [{ at, ...sumOf(here) }]
    return platforms.map((platform) => ({ at, platform, ...sumOf(here.filter((row) => row.platform === platform)) }))
  })
}

/** The first 144 steps of a curve are 10 minutes, all others an hour (migrations/0105). */
export const stepSeconds = (step: number): number => (step < 144 ? step * 600 : 86_400 + (step - 144) * 3_600)
