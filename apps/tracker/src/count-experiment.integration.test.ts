import { countExperiment, countUplift, recordConversions, trackEvents } from '@herald/contracts/calls/tracker'
import { variantOf } from '@herald/contracts/experiment'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcome,
  givenOutcomes,
  givenSettled,
  givenTracker,
  report,
  type Campaign,
  type Push,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

const variants = ['a', 'b'].map((id) => ({ id, weight: 1 }))
const count = (campaign: Campaign, metric: 'open' | 'click' | 'conversion' = 'open', conversion: string | null = null) =>
  caller.call(countExperiment, { ...campaign, metric, conversion, variants })
const engage = (campaign: Campaign, pushes: Push[], kind: 'opened' | 'clicked') =>
  caller.call(trackEvents, {
    engagements: pushes.map(({ userId, subscriptionId, variant }) => givenEngagement(campaign, { kind, userId, subscriptionId, variant })),
  })
const convert = (appId: string, pushes: Push[], name = 'order', at = new Date().toISOString()) =>
  caller.call(recordConversions, {
    ...{ appId, attribution: { directHours: 24, influencedHours: 1 } },
    conversions: pushes.map(({ userId, subscriptionId }) => ({
      ...{ id: newId(), name, at, value: null, currency: null, userId, subscriptionIds: [subscriptionId], push: null },
    })),
  })

// spec: experiments/report
test.each([2, 60])('users of an experiment are counted by variant, and a user with two devices once, in batches of %i', async (size) => {
  const campaign = givenCampaign()
  const a = givenOutcomes(10, { variant: 'a' })
  const b = givenOutcomes(20, { variant: 'b' })
  const secondDevices = a.slice(0, 4).map(({ userId }) => givenOutcome({ variant: 'a', userId }))
  const failed = givenOutcomes(3, { variant: 'b', outcome: 'failed', code: 'token_dead' })
  await givenSettled(caller, campaign, [...a, ...secondDevices, ...b, ...failed], { size })
  // Both devices of the first user are opened; of the second only the second device.
  await engage(campaign, [...a.slice(0, 1), ...secondDevices.slice(0, 2), ...b.slice(0, 5)], 'opened')
  await engage(campaign, b.slice(0, 1), 'clicked')

  expect(await count(campaign)).toMatchObject({
    fannedOut: true,
    variants: [
      { id: 'a', assigned: 10, sent: 10, events: 2 },
      { id: 'b', assigned: 23, sent: 20, events: 5 },
    ],
  })
  expect((await count(campaign, 'click'))?.variants).toMatchObject([{ events: 0 }, { events: 1 }])
  await convert(campaign.appId, [...b.slice(0, 7), ...b.slice(0, 7), ...failed])
  expect((await count(campaign, 'conversion', 'order'))?.variants).toMatchObject([{ events: 0 }, { events: 7 }])
  expect((await count(campaign, 'conversion', 'visit'))?.variants).toMatchObject([{ events: 0 }, { events: 0 }])
})

// spec: experiments/report
test('a user without an outcome has the send’s variant; the same question is counted anew after a minute', async () => {
  const campaign = givenCampaign()
  const pushes = givenOutcomes(50)
  await report(caller, campaign, batchesOf(campaign, pushes), { fannedOut: false })
  const inA = pushes.filter(({ userId }) => variantOf(variants, campaign.campaignId, userId).id === 'a').length
  const counted = await count(campaign)
  expect(counted).toMatchObject({
    fannedOut: false,
    variants: [
      { assigned: inA, sent: 0 },
      { assigned: 50 - inA, sent: 0 },
    ],
  })
  await report(caller, campaign, batchesOf(campaign, [...pushes, ...givenOutcomes(5)], { size: 50 }))
  expect(await count(campaign)).toEqual(counted)
  expect((await count(campaign, 'click'))?.fannedOut).toBe(true)
})

test('an unknown campaign, another app’s and one past the retention are not counted', async () => {
  const campaign = givenCampaign()
  await givenSettled(caller, campaign, givenOutcomes(1))
  expect(await count(givenCampaign())).toBeNull()
  expect(await count({ ...campaign, appId: newId() })).toBeNull()
  await sql`update counters set day = day - 100 where campaign_id = ${campaign.campaignId}`.execute(db)
  expect(await count(campaign)).toBeNull()
})

// spec: experiments/uplift
test('an uplift compares all who were queued with all who were held out, by any conversion in the time', async () => {
  const appId = newId()
  const [first, second] = [givenCampaign(), givenCampaign()].map((one) => ({ ...one, appId }))
  const held = givenOutcomes(10, { outcome: 'skipped', code: 'holdout' })
  const treated = givenOutcomes(30)
  const skipped = givenOutcomes(5, { outcome: 'skipped', code: 'frequency_cap' })
  await givenSettled(caller, first!, [...held, ...treated, ...skipped])
  await givenSettled(caller, second!, [...held, ...treated.slice(0, 10), ...givenOutcomes(2)])
  const before = new Date(Date.now() - 3_600_000).toISOString()
  await convert(appId, [...held.slice(0, 1), ...treated.slice(0, 6), ...skipped.slice(0, 1)])
  await convert(appId, treated.slice(10, 20), 'order', before)
  await convert(appId, treated, 'visit')

  const ofCampaign = { campaignId: first!.campaignId, windowHours: 24 }
  expect(await caller.call(countUplift, { appId, conversion: 'order', of: ofCampaign })).toEqual({
    ...{ treated: { users: 35, converted: 7 }, control: { users: 10, converted: 1 }, final: false },
  })
  const of = { from: new Date(Date.now() - 7_200_000).toISOString(), to: new Date(Date.now() + 1_000).toISOString() }
  expect(await caller.call(countUplift, { appId, conversion: 'order', of })).toMatchObject({
    treated: { users: 37, converted: 17 },
    control: { users: 10, converted: 1 },
  })
  expect(await caller.call(countUplift, { appId: newId(), conversion: 'order', of: ofCampaign })).toBeNull()
})
