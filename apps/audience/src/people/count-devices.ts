import { invalidField } from '@herald/contracts/fault'
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

/** How many days of device counts are kept: as many as of counts of pushes. */
export const deviceDaysKept = 400

/** An app with more devices than this is answered the counts of its last day: counting them now takes more than a second. */
const mostCounted = 5_000_000

/** Does work when it is the app's turn. */
type InTurn = <Answer>(work: () => Promise<Answer>, turn: string) => Promise<Answer>

/**
 * Makes the function that answers how many devices an app has. A count is answered for a minute. `inTurn` says how many apps are counted at a time. An app
 * that had more than `mostLive` devices on its last day is answered the counts of that day. Fault: `rate_limited`.
 */
export function openDeviceCounts(
  reads: Reads<Tables>,
  { mostLive = mostCounted, inTurn = (work) => work() }: { mostLive?: number; inTurn?: InTurn } = {},
): (asked: { appId: string }) => Promise<DeviceCounts> {
  const count = (appId: string) => inTurn(() => reads((db) => countDevices(db, appId, mostLive), { withinMs: 8_500, turn: appId }), appId)
  // An answer has about 500 bytes.
  return keepAnswers(count, { keptMs: 60_000, most: 1_000 })
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

/** After all apps, the process looks for the next day this often. */
const everyMs = 60_000

/**
 * Makes the work of a sweep: it counts the devices of each app as they were at the end of each UTC day (spec: administration/device-series). The process
 * that claims an app's day first scans the app's devices, part after part on the connections for reads, so that no other read waits long. A process goes
 * through all apps once a day, one app in each run. When another process holds an app, or a scan failed, it looks at that app again a minute later.
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

/** Counts a day of an app unless it is counted already. False when another process is counting it. */
async function takeDay({ db, reads }: { db: Db; reads: Reads<Tables> }, of: { appId: string; day: string }): Promise<boolean> {
  const claim = await claimDay(db, of)
  if (claim !== 'claimed') return claim === 'taken'
  try {
    await insertDeviceDay(db, of, await countDevicesOn((work) => reads(work, { turn: of.appId }), of))
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
  // The day in which `to` lies is answered too, unless `to` is the first instant of it.
  const before = to === null ? undefined : new Date(Date.parse(to) + 86_400_000 - 1).toISOString().slice(0, 10)
  const days = await findDeviceDays(db, { appId, from: first, before })
  return { points: days.map(({ day, takenAt, ...count }) => ({ at: `${day}T00:00:00.000Z`, takenAt: takenAt.toISOString(), ...count })) }
}
