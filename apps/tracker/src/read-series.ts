import { invalidField } from '@herald/contracts/fault'
import { perPlatform, platforms, type Platform } from '@herald/contracts/platform'
import type { RecentCounts, Series, SeriesBucket } from '@herald/contracts/series'
import { bucketsOf, floorTo, pointsOf, addUp, type CountsAt } from './core/series.ts'
import { databaseNow, findCodes, findCounts } from './store/series.ts'
import type { Tracker } from './tracker.ts'

type Asked = { appId: string; from: string | null; to: string | null; bucket: SeriesBucket; by: 'platform' | 'code' | null }

/** An answer holds at most this many counts of codes, which is ~1 MB. */
const mostCodes = 10_000

/** Gives what was counted of an app over time (spec: administration/series). Fault: invalid_body at `from`. */
export async function readSeries({ db }: Pick<Tracker, 'db'>, { appId, from, to, bucket, by }: Asked): Promise<Series> {
  const perBucket = by === 'platform' ? platforms.length : 1
  const { starts, until } = bucketsOf({ from, to, bucket, perBucket, now: await databaseNow(db) })
  const span = { appId, from: starts[0] ?? until, until }
  const points = pointsOf(starts, await findCounts(db, bucket, span), { byPlatform: by === 'platform' })
  if (by !== 'code') return { points }
  const codes = await findCodes(db, bucket, span, mostCodes + 1)
  if (codes.length > mostCodes) throw invalidField('from', `must be later: an answer holds at most ${mostCodes} counts of codes`)
  return { points, codes: codes.map(({ at, ...code }) => ({ at: at.toISOString(), ...code })) }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Gives the counts of an app's overview: 24 UTC hours up to the present one, the 24 hours before them, and 30 UTC days up to today. */
export async function readRecent({ db }: Pick<Tracker, 'db'>, { appId }: { appId: string }): Promise<RecentCounts> {
  const now = await databaseNow(db)
  const nextHour = floorTo('hour', now.getTime()) + hourMs
  const [yesterday, before] = [nextHour - dayMs, nextHour - 2 * dayMs]
  const hours = await findCounts(db, 'hour', { appId, from: before, until: nextHour })
  const [last, previous] = [hours.filter(({ at }) => at.getTime() >= yesterday), hours.filter(({ at }) => at.getTime() < yesterday)]

  const today = floorTo('day', now.getTime())
  const days = Array.from({ length: 30 }, (_, place) => today - (29 - place) * dayMs)
  const byDay = await findCounts(db, 'day', { appId, from: today - 29 * dayMs, until: today + dayMs })
  return {
    asOf: now.toISOString(),
    last24h: addUp(last),
    previous24h: addUp(previous),
    byPlatform: perPlatform((platform) => endsOn(platform, last)),
    days: pointsOf(days, byDay, { byPlatform: false }),
  }
}

function endsOn(platform: Platform, rows: CountsAt[]) {
  const { sent, failed, skipped } = addUp(rows.filter((row) => row.platform === platform))
  return { sent, failed, skipped }
}
