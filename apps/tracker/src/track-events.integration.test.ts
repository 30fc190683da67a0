import { readStats, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { noStats } from '@herald/contracts/stats'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcome,
  givenOutcomes,
  givenTracker,
  report,
  givenSettled,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('tracker')
  await givenTracker({ databaseUrl, natsUrl })
  await givenTracker({ databaseUrl, natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: databaseUrl, poolSize: 2 }))
})

const stats = async ({ appId, campaignId }: { appId: string; campaignId: string }) =>
  (await caller.call(readStats, { appId, campaignId }))?.stats

// spec: tracking/once, tracking/shows-at-once
test('a device’s report that is repeated, also at the same time, counts once, and the statistics show it at once', async () => {
  const campaign = givenCampaign()
  await report(caller, campaign, batchesOf(campaign, givenOutcomes(3)))
  const engagement = givenEngagement(campaign, { kind: 'opened' })

  const answers = await Promise.all(Array.from({ length: 30 }, () => caller.call(trackEvents, { engagements: [engagement, engagement] })))
  expect(answers.reduce((sum, { counted }) => sum + counted, 0)).toBe(1)
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 3, opened: 1 })

  expect(await caller.call(trackEvents, { engagements: [engagement] })).toEqual({ counted: 0 })
  expect(await caller.call(trackEvents, { engagements: [{ ...engagement, kind: 'clicked' }] })).toEqual({ counted: 1 })
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 3, opened: 1, clicked: 1 })
})

// spec: tracking/report-variant
test('a report of a device also counts for the variant that it names', async () => {
  const campaign = givenCampaign()
  const outcome = givenOutcome({ variant: 'a' })
  await givenSettled(caller, campaign, [outcome])
  await caller.call(trackEvents, {
    engagements: [
      givenEngagement(campaign, { kind: 'delivered', variant: 'a', subscriptionId: outcome.subscriptionId }),
      givenEngagement(campaign, { kind: 'dismissed', variant: 'b' }),
    ],
  })
  expect(await stats(campaign)).toMatchObject({
    delivered: 1,
    dismissed: 1,
    variants: { a: { sent: 1, delivered: 1 }, b: { dismissed: 1 } },
  })
})

// spec: tracking/unknown-campaign
test('a report about an unknown or foreign campaign, or past the retention, is not counted, and is no error', async () => {
  const [foreign, old] = [givenCampaign(), givenCampaign()]
  for (const campaign of [foreign, old]) await report(caller, campaign, batchesOf(campaign, givenOutcomes(1)))
  await db
    .updateTable('counters')
    .set({ day: sql`(now() at time zone 'utc')::date - 91` })
    .where('campaign_id', '=', old.campaignId)
    .execute()

  const engagements = [givenEngagement(givenCampaign()), givenEngagement({ ...foreign, appId: newId() }), givenEngagement(old)]
  expect(await caller.call(trackEvents, { engagements })).toEqual({ counted: 0 })
  for (const campaign of [foreign, old]) expect((await stats(campaign))?.opened).toBe(0)
})

// spec: tracking/early-report
test('a report of a campaign just being reported to the ledger waits, counts once, and holds up no other', async () => {
  const [begun, beginning] = [givenCampaign(), givenCampaign()]
  await report(caller, begun, batchesOf(begun, givenOutcomes(1)))
  const early = [givenEngagement(beginning), givenEngagement(begun)]
  const waiting = caller.call(trackEvents, { engagements: early })
  // The known one counts while the other waits.
  await until(async () => (await stats(begun))?.opened === 1)
  expect(await caller.call(trackEvents, { engagements: [givenEngagement(begun)] })).toEqual({ counted: 1 })

  await report(caller, beginning, batchesOf(beginning, givenOutcomes(1)))
  expect(await waiting).toEqual({ counted: 2 })
  expect((await stats(beginning))?.opened).toBe(1)
})

test('calls that come at the same time are each answered with how many of their reports counted', async () => {
  const campaign = givenCampaign()
  await report(caller, campaign, batchesOf(campaign, givenOutcomes(200)))
  const calls = Array.from({ length: 40 }, (_, index) =>
    Array.from({ length: (index % 5) + 1 }, () => givenEngagement(campaign, { kind: 'delivered' })),
  )

  const answers = await Promise.all(calls.map((engagements) => caller.call(trackEvents, { engagements })))

  expect(answers.map(({ counted }) => counted)).toEqual(calls.map((engagements) => engagements.length))
  expect((await stats(campaign))?.delivered).toBe(calls.flat().length)
})
