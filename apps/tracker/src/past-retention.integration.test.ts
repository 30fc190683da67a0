import { readStats, recordOutcomes } from '@herald/contracts/calls/tracker'
import { noStats } from '@herald/contracts/stats'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { openDays } from './days.ts'
import { deleteOldDays, getDaysAround } from './store/partitions.ts'
import type { Db, Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenListeners,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  type Batch,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let heard: Awaited<ReturnType<typeof givenListeners>>
let db: Db
let daysAgo: (days: number) => Promise<string>

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 3 }))
  heard = await givenListeners(natsUrl)
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('dispatcher', natsUrl)
  daysAgo = async (days) => (await getDaysAround(db, { back: days, ahead: -days }))[0] ?? ''
})

const partitionsOf = async (day: string) => {
  const { rows } = await sql`select from pg_class where relname like ${`%_${day.replaceAll('-', '')}`} and relkind = 'r'`.execute(db)
  return rows.length
}

// spec: tracking/past-retention
test('outcomes past the retention are answered and not written; others of the call are written', async () => {
  const [old, young] = [givenCampaign(), givenCampaign()]
  const day = await daysAgo(95)
  // The old campaign was paused for so long after its first page that the partition of its day is gone, so its pushes get no rows.
  const [ofOld, ofYoung] = [batchesOf(old, givenOutcomes(288), { day }), batchesOf(young, givenOutcomes(10))]
  await report(caller, old, ofOld)
  await report(caller, young, ofYoung)
  const batches = [...ofOld, ...ofYoung].map((batch) => outcomesOf(batch))

  expect(await caller.call(recordOutcomes, { batches })).toEqual({ recorded: 10 })
  expect(await caller.call(recordOutcomes, { batches })).toEqual({ recorded: 0 })
  expect((await caller.call(readStats, old))?.stats).toEqual({ ...noStats, queued: 288 })
  expect((await caller.call(readStats, young))?.stats).toMatchObject({ sent: 10 })
  expect(await partitionsOf(day)).toBe(0)
})

test('after the retention has dropped the partitions of a day, a process with that retention does not make them again', async () => {
  const campaign = givenCampaign()
  const day = await daysAgo(89)
  const [batch] = batchesOf(campaign, givenOutcomes(2), { day }) as [Batch]
  await report(caller, campaign, [batch])
  expect(await caller.call(recordOutcomes, { batches: [outcomesOf(batch, 0, 1)] })).toEqual({ recorded: 1 })
  // A process with a shorter retention drops the partitions, and is then asked to make them.
  const ensureDay = openDays(db, 40)
  await deleteOldDays(db, 40)
  expect(await partitionsOf(day)).toBe(0)
  await ensureDay(day)
  await ensureDay(day)
  expect(await partitionsOf(day)).toBe(0)
})

// spec: tracking/past-retention
test('a campaign that lacks outcomes is settled when the ledger deletes its day, and campaigns and audience are told', async () => {
  const [stuck, done] = [givenCampaign(), givenCampaign()]
  const day = await daysAgo(60)
  const [ofStuck, ofDone] = [stuck, done].map((campaign) => batchesOf(campaign, givenOutcomes(3), { day })) as [[Batch], [Batch]]
  await report(caller, stuck, ofStuck)
  await report(caller, done, ofDone)
  await caller.call(recordOutcomes, { batches: [outcomesOf(ofStuck[0], 0, 2), outcomesOf(ofDone[0])] })
  await until(() => heard.audience.includes(done.campaignId), { what: 'the settlement of the other' })

  expect((await deleteOldDays(db, 50)).settled).toBe(1)
  await until(() => heard.campaigns.includes(stuck.campaignId) && heard.audience.includes(stuck.campaignId), { what: 'the settlement' })
  expect((await caller.call(readStats, stuck))?.stats).toEqual({ ...noStats, queued: 3, sent: 2 })
  expect(await deleteOldDays(db, 50)).toEqual({ dropped: 0, settled: 0 })
})
