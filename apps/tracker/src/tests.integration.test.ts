import { hearTrackerListeners, recordOutcomes, reportQueued, trackEvents } from '@herald/contracts/calls/tracker'
import type { Event } from '@herald/contracts/event'
import { announcements } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenListeners,
  givenOutcome,
  givenTracker,
  outcomesOf,
  reportOf,
  givenSettled,
} from './testing/given-tracker.ts'

/** The tracker counts a test like any other send, and marks its counters and its events as those of a test. */

const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
const databaseUrl = database.url('tracker')
await givenTracker({ databaseUrl, natsUrl })
const { db } = await openDatabase<Tables>(testService('tracker', {}), { url: databaseUrl, poolSize: 2 })
const [caller, gateway, webhooks, told] = await Promise.all([
  givenPeer('dispatcher', natsUrl),
  givenPeer('gateway', natsUrl),
  givenPeer('webhooks', natsUrl),
  givenListeners(natsUrl),
])
const heard: Event[] = []
webhooks.consume(announcements, { atOnce: 50 }, async ({ events }) => void heard.push(...events))
const countersOf = (campaignIds: string[]) =>
  db.selectFrom('counters').select(['campaign_id', 'test', 'sent', 'failed', 'opened']).where('campaign_id', 'in', campaignIds).execute()

// spec: webhooks/event-test
test('every event of a test says so, and none of another send of the app', async () => {
  const ordinary = givenCampaign()
  const tested = { ...givenCampaign(), appId: ordinary.appId, test: true as const }
  await webhooks.call(hearTrackerListeners, { listeners: [{ appId: ordinary.appId, version: 1, eventTypes: ['*'] }] })
  for (const campaign of [tested, ordinary]) {
    const sent = givenOutcome()
    const ends = [sent, givenOutcome({ outcome: 'failed', code: 'timeout' }), givenOutcome({ outcome: 'skipped', code: 'expired' })]
    await givenSettled(caller, campaign, ends)
    const { subscriptionId, userId } = sent
    await gateway.call(trackEvents, { engagements: [givenEngagement(campaign, { subscriptionId, userId })] })
  }

  const of = (campaignId: string) => heard.filter((event) => event.campaignId === campaignId)
  await until(() => of(tested.campaignId).length === 5 && of(ordinary.campaignId).length === 5, { what: 'every event of both' })

  expect(of(tested.campaignId).map(({ data }) => data?.['test'])).toEqual(Array(5).fill(true))
  expect(of(ordinary.campaignId).filter(({ data }) => data && 'test' in data)).toEqual([])
  expect(new Set(of(tested.campaignId).map(({ type }) => type)).size).toBe(5)
})

test('reports of queued pushes mark the counters of a test, and not those of another send that shares the commit', async () => {
  const [tested, ordinary] = [{ ...givenCampaign(), test: true as const }, givenCampaign()]
  const batches = [tested, ordinary].map((campaign) => batchesOf(campaign, [givenOutcome()]))
  const reports = [reportOf(tested, batches[0] ?? []), reportOf(ordinary, batches[1] ?? [])]

  await caller.call(reportQueued, { reports })
  await caller.call(reportQueued, { reports: reports.toReversed() })
  for (const batch of batches.flat()) await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })

  const ids = [tested.campaignId, ordinary.campaignId]
  const counters = await countersOf(ids)
  expect(new Map(counters.map(({ campaign_id, test: isTest, sent }) => [campaign_id, [isTest, sent]]))).toEqual(
    new Map([
      [tested.campaignId, [true, 1]],
      [ordinary.campaignId, [false, 1]],
    ]),
  )
  await until(() => ids.every((id) => told.campaigns.includes(id)), { what: 'both are settled' })
})

test('a test that reaches no device settles like any send', async () => {
  const tested = { ...givenCampaign(), test: true as const }

  await caller.call(reportQueued, { reports: [reportOf(tested, [])] })

  await until(() => told.campaigns.includes(tested.campaignId), { what: 'the settlement' })
  expect(await countersOf([tested.campaignId])).toMatchObject([{ test: true, sent: 0 }])
})
