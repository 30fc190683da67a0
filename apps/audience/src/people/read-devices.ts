import { invalidField } from '@herald/contracts/fault'
import type { DeviceCount, DeviceCounts, DeviceDay } from '@herald/contracts/series'
import type { Reads } from '@herald/service/postgres'
import { countDevicesNow, findDeviceDays, findLastDay, findNewestDay, type CountsByPlatform } from './store/device-days.ts'
import type { Db, Tables } from '../store/tables.ts'

/** How many days of device counts are kept: as many as of counts of pushes. */
export const deviceDaysKept = 400

const keptMs = 60_000
/** Answers that are kept, about 500 bytes each. */
const mostKept = 1_000
/** An app with more devices than this is answered the counts of its last day: counting them now takes more than a second. */
const mostCounted = 5_000_000

/** Does work when it is the app's turn. */
type InTurn = <Answer>(work: () => Promise<Answer>, turn: string) => Promise<Answer>

/**
 * Makes the function that answers how many devices an app has. A count is answered for a minute, and callers who ask while it runs wait for it. `inTurn`
 * says how many apps are counted at a time. An app that had more than `mostLive` devices on its last day is answered the counts of that day. Fault:
 * `rate_limited`.
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
    // A failure is not kept: the next caller starts a new count.
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

/** Leaves `new` out, which only a day has. */
const countOf = ({ total, reachable, optedOut, invalidated, active1d, active7d, active30d }: DeviceCount): DeviceCount => {
  return { total, reachable, optedOut, invalidated, active1d, active7d, active30d }
}

/** Gives the device counts of an app by day (spec: administration/device-series). Fault: `invalid_body` at `from`. */
export async function readDeviceDays(
  db: Db,
  { appId, from, to }: { appId: string; from: string | null; to: string | null },
): Promise<{ points: DeviceDay[] }> {
  const last = await findLastDay(db)
  const first = from?.slice(0, 10) ?? new Date(Date.parse(last) - 29 * 86_400_000).toISOString().slice(0, 10)
  if (Date.parse(first) < Date.parse(last) - (deviceDaysKept - 1) * 86_400_000)
    throw invalidField('from', `must lie within the last ${deviceDaysKept} days`)
  // The day in which `to` lies is answered too, unless `to` is the first instant of it.
  const before = to === null ? undefined : new Date(Date.parse(to) + 86_400_000 - 1).toISOString().slice(0, 10)
  const days = await findDeviceDays(db, { appId, from: first, before })
  return { points: days.map(({ day, takenAt, ...count }) => ({ at: `${day}T00:00:00.000Z`, takenAt: takenAt.toISOString(), ...count })) }
}
