import type { Reads } from '@herald/service/postgres'
import { claimDay, countDevicesOn, findLastDay, findNextApp, insertDeviceDay, releaseDay } from './store/device-days.ts'
import type { Db, Tables } from '../store/tables.ts'

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
