import { invalidField } from '@herald/contracts/fault'
import { perPlatform, sumOf } from '@herald/contracts/platform'
import type { DeviceCount, DeviceCounts, DeviceDay } from '@herald/contracts/series'
import type { Reads } from '@herald/service/postgres'
import { keepAnswers } from './keep-answers.ts'
import {
  claimDay,
  countDevicesNow,
  countDevicesOn,
  findDeviceDays,
  findLastDay,
  findNewestDay,
  findNextApp,
  insertDeviceDay,
  releaseDay,
  type CountsByPlatform,
} from './store/device-days.ts'
import type { Db, Tables } from '../store/tables.ts'

/** Device counts are kept for this many days, like the counts of pushes. */
export const deviceDaysKept = 400

/** An app with more devices than this gets the counts of its last counted day, because counting its devices now takes more than a second. */
const mostCounted = 5_000_000

/** A function that runs `work` when it is the turn of the app. */
type InTurn = <Answer>(work: () => Promise<Answer>, appId: string) => Promise<Answer>

/**
 * Makes the function that answers how many devices an app has; an answer is kept for a minute. An app with more than `mostLive` devices on its last
 * counted day gets that day's counts. Fault: `rate_limited`.
 */
export function openDeviceCounts(
  reads: Reads<Tables>,
  { mostLive = mostCounted, inTurn = (work) => work() }: { mostLive?: number; inTurn?: InTurn } = {},
): (asked: { appId: string }) => Promise<DeviceCounts> {
  const count = (appId: string) => inTurn(() => reads((db) => countDevices(db, appId, mostLive), { withinMs: 8_500, appId }), appId)
  // An answer takes about 500 bytes of memory, so 1,000 kept answers take half a megabyte.
  return keepAnswers(count, { keptMs: 60_000, most: 1_000 })
}

async function countDevices(db: Db, appId: string, mostLive: number): Promise<DeviceCounts> {
  const newest = await findNewestDay(db, appId)
  if (newest && sumOf(perPlatform((platform) => newest.counts[platform].total)) > mostLive) return shown(newest.takenAt, newest.counts)
  const { asOf, counts } = await countDevicesNow(db, appId)
  return shown(asOf, counts)
}

const shown = (asOf: Date, counts: CountsByPlatform): DeviceCounts => {
  return { asOf: asOf.toISOString(), devices: perPlatform((platform) => countOf(counts[platform])) }
}

const countOf = ({ total, reachable, optedOut, invalidated, active1d, active7d, active30d }: DeviceCount): DeviceCount => {
  return { total, reachable, optedOut, invalidated, active1d, active7d, active30d }
}

/** After a process has gone through all apps, it waits this long before it looks again for days to count. */
const everyMs = 60_000

/**
 * Makes the sweep's work that counts each app's devices at the end of each UTC day (spec: administration/device-series), one app a run. A round is
 * repeated a minute later if an app was claimed elsewhere or failed.
 */
export function openDeviceDays({ db, reads }: { db: Db; reads: Reads<Tables> }): () => Promise<{ took: number }> {
  let nextAt = 0
  let wholeDay: string | undefined
  let walk: { day: string; after: string; isWhole: boolean } | undefined

  const end = () => {
    if (walk?.isWhole) wholeDay = walk.day
    walk = undefined
    nextAt = performance.now() + everyMs
    return { took: 0 }
  }
  return async () => {
    if (performance.now() < nextAt) return { took: 0 }
    const day = await findLastDay(db)
    if (day === wholeDay) return end()
    if (walk?.day !== day) walk = { day, after: '', isWhole: true }
    const appId = await findNextApp(db, walk.after)
    if (appId === undefined) return end()
    walk.after = appId
    const { isWhole } = walk
    walk.isWhole = false
    walk.isWhole = (await takeDay({ db, reads }, { appId, day })) && isWhole
    return { took: 1 }
  }
}

/** Counts the devices of an app at the end of a day, unless that day is counted already. Gives false when another process is counting it. */
async function takeDay({ db, reads }: { db: Db; reads: Reads<Tables> }, of: { appId: string; day: string }): Promise<boolean> {
  const claim = await claimDay(db, of)
  if (claim !== 'claimed') return claim === 'taken'
  try {
    await insertDeviceDay(db, of, await countDevicesOn((work) => reads(work, { appId: of.appId }), of))
  } catch (error) {
    await releaseDay(db, of)
    throw error
  }
  return true
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
  // The answer includes the day that contains `to`, unless `to` is the first instant of that day.
  const before = to === null ? undefined : new Date(Date.parse(to) + 86_400_000 - 1).toISOString().slice(0, 10)
  const days = await findDeviceDays(db, { appId, from: first, before })
  return { points: days.map(({ day, takenAt, ...count }) => ({ at: `${day}T00:00:00.000Z`, takenAt: takenAt.toISOString(), ...count })) }
}
