import type { Reads } from '@herald/service/postgres'
import { claimDay, countDevicesOn, findLastDay, findNextApp, insertDeviceDay, releaseDay } from './store/device-days.ts'
import type { Db, Tables } from '../store/tables.ts'

const everyMs = 60_000

/**
 * Takes the devices of each app at the end of each UTC day, for a sweep (spec: administration/device-series): one scan per app and day, by whichever process claims
 * it first, on the connections for reads and part after part, so that nobody else waits for it. A process goes through all apps once a day, one at a look; when
 * another holds an app, or a scan failed, it looks at that app again a minute later.
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

/** Takes a day of an app unless it is taken; false: another is about it. */
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
