import * as calls from '@herald/contracts/calls/audience'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import type { Reads } from '@herald/service/postgres'
import { until } from '@herald/testing/until'
import { sql, type Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { openDeviceCounts, openDeviceDays, readDeviceDays } from './count-devices.ts'
import { eraseApp } from '../erase-app.ts'
import { claimDay, countDevicesOn, findLastDay, insertDeviceDay, purgeDeviceDays } from './store/device-days.ts'
import type { Tables } from '../store/tables.ts'
import { openAudience } from '../testing/rig.ts'

const { db, bus, startProcess } = await openAudience()
const reads: Reads<Tables> = (work) => work(db)
const day = await findLastDay(db)
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Makes devices that registered `madeDaysBefore` days before the end of the last UTC day. `as`: whether they are opted out, invalidated, or both. */
async function givenDevices(
  appId: string,
  platform: Platform,
  count: number,
  { madeDaysBefore = 10, as = 'null', on = db }: { madeDaysBefore?: number; as?: string; on?: Kysely<Tables> } = {},
): Promise<void> {
  const made = sql`date_trunc('day', now(), 'UTC') - ${madeDaysBefore} * interval '1 day'`
  const id = sql`lpad(to_hex(floor(random() * 1e9)::bigint), 8, '0') || lpad(to_hex(n), 16, '0')`
  await sql`
    with made as (select ${id} as id, n from generate_series(1, ${count}) as n), made_users as (
      insert into users (id, app_id) select id, ${appId} from made
    )
    insert into subscriptions (id, app_id, user_id, platform, address, address_hash, created_at, last_active_at, opted_in, invalidated_at)
    select id, ${appId}, id, ${platform}, id, sha256(id::bytea), ${made}, ${made},
      ${sql.lit(as)} <> 'out' and ${sql.lit(as)} <> 'out and dead', case when ${sql.lit(as)} like '%dead' then now() end
    from made`.execute(on)
}

/** Makes 5 reachable iOS devices, 2 opted out, 3 invalidated and 1 both, 4 web devices of the last day, and an Android device of today. */
async function givenMixed(): Promise<string> {
  const appId = newId()
  // The audience of this test counts devices by itself, so it must not see half of them.
  await db.transaction().execute(async (on) => {
    await givenDevices(appId, 'ios', 5, { on })
    await givenDevices(appId, 'ios', 2, { as: 'out', madeDaysBefore: 5, on })
    await givenDevices(appId, 'ios', 3, { as: 'dead', madeDaysBefore: 60, on })
    await givenDevices(appId, 'ios', 1, { as: 'out and dead', on })
    await givenDevices(appId, 'web', 4, { madeDaysBefore: 1, on })
    await givenDevices(appId, 'android', 1, { madeDaysBefore: 0, on })
  })
  return appId
}
const ios = { total: 11, reachable: 5, optedOut: 2, invalidated: 4, active1d: 0, active7d: 2, active30d: 8 }
const web = { total: 4, reachable: 4, optedOut: 0, invalidated: 0, active1d: 4, active7d: 4, active30d: 4 }
const none = { total: 0, reachable: 0, optedOut: 0, invalidated: 0, active1d: 0, active7d: 0, active30d: 0 }

async function takeAll(look: ReturnType<typeof openDeviceDays>): Promise<void> {
  for (let took = 1; took > 0;) ({ took } = await look())
}
const daysOf = async (appId: string) => (await readDeviceDays(db, { appId, from: ago(30), to: null })).points

// spec: administration/device-series
test('a day’s count has each device that existed at its end once, and how many were new', async () => {
  const appId = await givenMixed()
  await takeAll(openDeviceDays({ db, reads }))

  // The audience of this test may have taken the app first, and count it at this moment.
  await until(async () => (await daysOf(appId)).length === 3)
  const points = await daysOf(appId)
  const takenAt = points[0]?.takenAt
  expect(points).toEqual([
    // The Android device that registered today is not counted for the last day.
    { at: `${day}T00:00:00.000Z`, platform: 'android', takenAt, ...none, new: 0 },
    { at: `${day}T00:00:00.000Z`, platform: 'ios', takenAt, ...ios, new: 0 },
    { at: `${day}T00:00:00.000Z`, platform: 'web', takenAt, ...web, new: 4 },
  ])
  expect(points.every(({ takenAt }) => takenAt > `${day}T23:59:59.999Z`)).toBe(true)
})

// spec: administration/device-series
test('only one process counts an app’s devices for a day; when it dies, another counts them later', async () => {
  const appId = await givenMixed()
  const asked: number[] = []
  const counting: Reads<Tables> = (work) => {
    asked.push(1)
    return work(db)
  }
  await Promise.all([1, 2, 3].map(() => takeAll(openDeviceDays({ db, reads: counting }))))
  const scans = asked.length
  const before = await daysOf(appId)
  expect(before).toHaveLength(3)
  await Promise.all([1, 2].map(() => takeAll(openDeviceDays({ db, reads: counting }))))
  expect([asked.length, await daysOf(appId)]).toEqual([scans, before])

  // The claim stays without a count, as if the process that claimed the day had died.
  const left = await givenMixed()
  expect(await claimDay(db, { appId: left, day })).toBe('claimed')
  const look = openDeviceDays({ db, reads })
  await takeAll(look)
  expect(await daysOf(left)).toEqual([])
  await sql`update device_day_claims set until = now() where app_id = ${left}`.execute(db)
  await takeAll(openDeviceDays({ db, reads }))
  expect(await daysOf(left)).toHaveLength(3)
})

// spec: administration/device-series
test('when counting the devices of a day fails, the sweep throws the error, and its next run counts them', async () => {
  const appId = await givenMixed()
  await expect(takeAll(openDeviceDays({ db, reads: () => Promise.reject(new Error('too many reads')) }))).rejects.toThrow('too many reads')
  expect(await daysOf(appId)).toEqual([])
  await takeAll(openDeviceDays({ db, reads }))
  expect(await daysOf(appId)).toHaveLength(3)
})

test('counting devices in parts gives the same numbers as counting all at once', async () => {
  const appId = await givenMixed()
  const read = <Answer>(work: (one: typeof db) => Promise<Answer>) => work(db)
  const whole = await countDevicesOn(read, { appId, day })
  expect(whole).toMatchObject({ ios, web, android: none })
  for (const atOnce of [1, 4, 15, 16, 17]) expect(await countDevicesOn(read, { appId, day, atOnce })).toEqual(whole)
})

// spec: administration/device-counts
test('callers that ask at once for the number of an app’s devices share one count, also a moment later', async () => {
  // Not earlier: the process counts the devices of apps too, at a time of its own.
  await startProcess()
  const appId = await givenMixed()
  let counts = 0
  const count = openDeviceCounts((work) => {
    counts += 1
    return work(db)
  })
  const [first, second] = await Promise.all([count({ appId }), count({ appId })])
  expect(first.devices).toMatchObject({ ios: { ...ios, active7d: expect.any(Number) }, android: { total: 1, reachable: 1 } })
  expect(second).toEqual(first)
  await givenDevices(appId, 'ios', 1)
  expect(await count({ appId })).toEqual(first)
  expect(counts).toBe(1)
  expect((await bus.call(calls.countDevices, { appId })).devices.ios.total).toBe(12)
  expect((await bus.call(calls.countDevices, { appId: newId() })).devices).toEqual({ ios: none, android: none, web: none })
})

// spec: administration/device-counts
test('for an app with too many devices to count now, the counts of its last day are answered', async () => {
  const appId = await givenMixed()
  await takeAll(openDeviceDays({ db, reads }))
  const [taken] = await daysOf(appId)
  const { asOf, devices } = await openDeviceCounts(reads, { mostLive: 14 })({ appId })
  expect({ asOf, devices }).toEqual({ asOf: taken?.takenAt, devices: { ios, android: none, web } })
  expect((await openDeviceCounts(reads, { mostLive: 15 })({ appId })).devices.android.total).toBe(1)
})

test('when counting an app’s devices was refused, the next caller’s request counts again', async () => {
  const appId = await givenMixed()
  let refused = false
  const count = openDeviceCounts((work) => {
    if (refused) return work(db)
    refused = true
    return Promise.reject(new Error('too many reads'))
  })
  await expect(count({ appId })).rejects.toThrow('too many reads')
  expect((await count({ appId })).devices.ios.total).toBe(11)
})

// spec: administration/device-series
test('the device counts of each day are kept 400 days, answered by range, and deleted with their app', async () => {
  const appId = newId()
  const one = { ...none, new: 0 }
  const dayBefore = (back: number) => new Date(Date.parse(day) - back * 86_400_000).toISOString().slice(0, 10)
  for (const back of [0, 1, 399, 400]) await insertDeviceDay(db, { appId, day: dayBefore(back) }, { ios: one, android: one, web: one })
  expect(await purgeDeviceDays(db, 400)).toBe(false)
  const read = async (from: string, to: string | null) => {
    const { points } = await bus.call(calls.readDeviceDays, { appId, from: `${from}T00:00:00.000Z`, to })
    return [...new Set(points.map(({ at }) => at.slice(0, 10)))]
  }
  expect(await read(dayBefore(399), null)).toEqual([dayBefore(399), dayBefore(1), dayBefore(0)])
  expect(await read(dayBefore(1), `${dayBefore(0)}T00:00:00.000Z`)).toEqual([dayBefore(1)])
  expect(await read(dayBefore(1), `${dayBefore(0)}T00:00:01.000Z`)).toEqual([dayBefore(1), dayBefore(0)])
  const refusal = await read(dayBefore(400), null).catch((error: unknown) => (Fault.is(error) ? error.details?.[0]?.path : error))
  expect(refusal).toBe('from')

  expect(await eraseApp({ db }, { appId })).toEqual({ done: true })
  expect(await read(dayBefore(399), null)).toEqual([])
  // For an app that was erased no count of a day is stored any more.
  await insertDeviceDay(db, { appId, day }, { ios: one, android: one, web: one })
  expect([await claimDay(db, { appId, day }), await read(dayBefore(399), null)]).toEqual(['taken', []])
})
