import { listPushes, readStats, recordOutcomes } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import { batchesOf, givenCampaign, givenListeners, givenOutcomes, givenTracker, outcomesOf, report } from './testing/given-tracker.ts'

const said = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (Fault.is(error) ? error.code : String(error)),
  )

// spec: limits/reads-apart
test('while 24 lists of pushes hang, outcomes are written and the campaign settles, and the lists are answered 429', async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const heard = await givenListeners(natsUrl)
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  const caller = await givenPeer('dispatcher', natsUrl)
  const { db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 })
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(300), { size: 10 })
  await report(caller, campaign, batches)
  await caller.call(recordOutcomes, { batches: batches.slice(0, 10).map((batch) => outcomesOf(batch)) })
  const list = () => said(caller.call(listPushes, { appId: campaign.appId, limit: 5 }))
  expect(await list()).toBe('answered')

  // Lists read `engagements`, because they show what devices reported. Writing outcomes does not touch this table.
  const { promise: read, resolve: unlock } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (trx) => {
    await sql`lock table engagements in access exclusive mode`.execute(trx)
    locked.resolve()
    await read
  })
  await locked.promise
  const lists = Promise.all(Array.from({ length: 24 }, list))
  const recorded = await Promise.all(batches.slice(10).map((batch) => caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })))
  expect(recorded.reduce((sum, one) => sum + one.recorded, 0)).toBe(200)
  await until(() => heard.campaigns.includes(campaign.campaignId), { what: 'the settlement' })
  expect(new Set(await lists)).toEqual(new Set(['rate_limited']))
  unlock()
  await holding
  expect(await list()).toBe('answered')
  expect((await caller.call(readStats, campaign))?.stats).toMatchObject({ queued: 300, sent: 300 })
})
