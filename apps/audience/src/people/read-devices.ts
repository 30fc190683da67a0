import { invalidField } from '@herald/contracts/fault'
import type { DeviceCount, DeviceCounts, DeviceDay } from '@herald/contracts/series'
import type { Reads } from '@herald/service/postgres'
import { countDevicesNow, findDeviceDays, findLastDay, findNewestDay, type CountsByPlatform } from './store/device-days.ts'
import type { Db, Tables } from '../store/tables.ts'

/** Days of devices are kept as long as those of what was sent. */
export const deviceDaysKept = 400

const keptMs = 60_000
/** Answers that are kept, ~500 bytes each. */
const mostKept = 1_000
/** Of more devices the last day that was taken is answered: counting them takes more than a second. */
const mostCounted = 5_000_000

/** Does work when its turn comes, by turns of apps. */
type InTurn = <Answer>(work: () => Promise<Answer>, turn: string) => Promise<Answer>

/**
 * Counts an app's devices for people: an answer is given for a minute, whoever asks meanwhile waits for the same count, and `inTurn` says how many apps are counted at a time. An app whose last
 * day had more than `mostLive` devices is answered that day. Fault: rate_limited.
 */
export function openDeviceCounts(
  reads: Reads<Tables>,
  { mostLive = mostCounted, inTurn = (work) => work() }: { mostLive?: number; inTurn?: InTurn } = {},
): (asked: { appId: string }) => Promise<DeviceCounts> {
  const kept = new Map<string, { counts: Promise<DeviceCounts>; until: number }>()
  const count = (appId: string) => inTurn(() => reads((db) => countDevices(db, appId, mostLive), { withinMs: 8_500, turn: appId }), appId)

  return ({ appId }) => {
    const known = kept.get(appId)
    if (known && performance.now() < known.until) return known.counts
    const counts = count(appId)
    const one = { counts, until: performance.now() + keptMs }
    kept.delete(appId)
    kept.set(appId, one)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    // What was refused is asked again.
    counts.catch(() => {
      if (kept.get(appId) === one) kept.delete(appId)
    })
    return counts
  }
}

async function countDevices(db: Db, appId: string, mostLive: number): Promise<DeviceCounts> {
  const newest = await findNewestDay(db, appId)
  const { ios, android, web } = newest?.counts ?? {}
  if (newest && (ios?.total ?? 0) + (android?.total ?? 0) + (web?.total ?? 0) > mostLive) return shown(newest.takenAt, newest.counts)
  const { asOf, counts } = await countDevicesNow(db, appId)
  return shown(asOf, counts)
}

const shown = (asOf: Date, { ios, android, web }: CountsByPlatform): DeviceCounts => {
  return { asOf: asOf.toISOString(), devices: { ios: countOf(ios), android: countOf(android), web: countOf(web) } }
}

/** What is shown of them now: `new` is of a day. */
const countOf = ({ total, reachable, optedOut, invalidated, active1d, active7d, active30d }: DeviceCount): DeviceCount => {
  return { total, reachable, optedOut, invalidated, active1d, active7d, active30d }
}

/** The days of an app's devices (spec: administration/device-series). Fault: invalid_body at `from`. */
export async function readDeviceDays(
  db: Db,
  { appId, from, to }: { appId: string; from: string | null; to: string | null },
): Promise<{ points: DeviceDay[] }> {
  const last = await findLastDay(db)
  const first = from?.slice(0, 10) ?? new Date(Date.parse(last) - 29 * 86_400_000).toISOString().slice(0, 10)
  if (Date.parse(first) < Date.parse(last) - (deviceDaysKept - 1) * 86_400_000)
    throw invalidField('from', `must lie within the last ${deviceDaysKept} days`)
  // The day in which `to` lies is in it, unless `to` is its beginning.
  const before = to === null ? undefined : new Date(Date.parse(to) + 86_400_000 - 1).toISOString().slice(0, 10)
  const days = await findDeviceDays(db, { appId, from: first, before })
  return { points: days.map(({ day, takenAt, ...count }) => ({ at: `${day}T00:00:00.000Z`, takenAt: takenAt.toISOString(), ...count })) }
}
