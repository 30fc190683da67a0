import { readPace } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import { givenTracker, today } from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000)

/** Writes the counters of a send that began some days ago and took so many seconds. `seconds` is null for a send that is still under way. */
const givenCounters = (appId: string, queued: number, seconds: number | null, beganDaysAgo: number) =>
  db
    .insertInto('counters')
    .values({
      campaign_id: newId(),
      app_id: appId,
      day: today,
      name: 'Sale',
      transactional: false,
      queued_ios: queued - 400,
      queued_android: 300,
      queued_web: 100,
      fanned_out_at: daysAgo(beganDaysAgo),
      created_at: daysAgo(beganDaysAgo),
      settled_at: seconds === null ? null : new Date(daysAgo(beganDaysAgo).getTime() + seconds * 1_000),
    })
    .execute()

// spec: sending/dry-run-estimate
test('an app’s pace is its last five settled sends’ of at least 1,000 pushes within 30 days', async () => {
  const appId = newId()
  expect(await caller.call(readPace, { appId })).toEqual({ pace: null })

  for (const days of [1, 2, 3, 4]) await givenCounters(appId, 2_000, 10, days)
  await givenCounters(appId, 1_000, 20, 5)
  // None of the next five sends counts: the sixth, one that is too small, one too long ago, one still under way, and one of another app.
  await givenCounters(appId, 900_000, 1, 6)
  await givenCounters(appId, 999, 1, 0.5)
  await givenCounters(appId, 900_000, 1, 31)
  await givenCounters(appId, 900_000, null, 0.1)
  await givenCounters(newId(), 900_000, 1, 0.1)

  const { pace } = await caller.call(readPace, { appId })
  expect(pace).toEqual({ pushes: 9_000, seconds: expect.closeTo(60, 1) })
})
