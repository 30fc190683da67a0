import { confirmTrackerAnnouncements, readSettled, readStats, recordOutcomes, reportQueued } from '@herald/contracts/calls/tracker'
import type { Announcement, Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { noStats } from '@herald/contracts/stats'
import { announcements } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import {
  batchOf,
  givenCampaign,
  givenEndpoint,
  givenListeners,
  givenOutcome,
  givenOutcomes,
  givenPeer,
  givenTracker,
  today,
  totalsOf,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let heard: Awaited<ReturnType<typeof givenListeners>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']
const told: Announcement[] = []

/** Two trackers share the work, as two processes would; a third peer plays webhooks and confirms what it hears. */
beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('tracker')
  heard = await givenListeners(natsUrl)
  await givenTracker({ databaseUrl, natsUrl })
  await givenTracker({ databaseUrl, natsUrl })
  caller = await givenPeer('dispatcher', natsUrl)
  const reader = testService('tracker', {})
  ;({ db } = await openDatabase<Tables>(reader, { url: databaseUrl, poolSize: 2 }))
  const webhooks = await givenPeer('webhooks', natsUrl)
  await webhooks.consume(announcements, { slots: 50 }, async (announcement) => {
    told.push(announcement)
    await webhooks.call(confirmTrackerAnnouncements, { announcementIds: [announcement.announcementId] })
  })
})

/** Events of a campaign; an announcement that came twice counts once, as it does for webhooks. */
const eventsOf = (campaignId: string): Event[] =>
  [...new Map(told.map((announcement) => [announcement.announcementId, announcement])).values()].flatMap(({ events }) =>
    events.filter((event) => event.campaignId === campaignId),
  )
const stats = async ({ appId, campaignId }: { appId: string; campaignId: string }) =>
  (await caller.call(readStats, { appId, campaignId }))?.stats
const times = (list: string[], item: string) => list.filter((one) => one === item).length
const settlementsLeft = async (campaignId: string) =>
  (await db.selectFrom('settlements').selectAll().where('campaign_id', '=', campaignId).execute()).length

test('outcomes that are repeated 14 times, also in parallel, count once', async () => {
  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  await caller.call(reportQueued, totalsOf(campaign, 500))
  const batch = batchOf(campaign, [
    ...givenOutcomes(490),
    ...givenOutcomes(6, { outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered' }),
    ...givenOutcomes(4, { outcome: 'skipped', code: 'opted_out', attempts: 0 }),
  ])

  const answers = await Promise.all(Array.from({ length: 14 }, () => caller.call(recordOutcomes, { batches: [batch] })))

  expect(answers.map(({ recorded }) => recorded).reduce((sum, count) => sum + count)).toBe(500)
  expect(await stats(campaign)).toEqual({ ...noStats, queued: 500, sent: 490, failed: 6, skipped: 4 })
  const events = await until(() => eventsOf(campaign.campaignId).length >= 501 && eventsOf(campaign.campaignId), { what: 'all events' })
  expect(events).toHaveLength(501)
  expect(events.find(({ type }) => type === 'notification.failed')?.data).toEqual({
    code: 'token_dead',
    providerCode: '410 Unregistered',
    attempts: 1,
  })
  expect(events.find(({ type }) => type === 'notification.skipped')?.data).toEqual({ reason: 'opted_out' })
})

test('two trackers keep exact sums, settle a campaign once and complete it once', async () => {
  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  const all = givenOutcomes(4_000)
  const batches = Array.from({ length: 40 }, (_, index) => batchOf(campaign, all.slice(index * 100, index * 100 + 100)))
  await caller.call(reportQueued, totalsOf(campaign, 1_000, false))

  await Promise.all([
    ...batches.flatMap((batch) => [caller.call(recordOutcomes, { batches: [batch] }), caller.call(recordOutcomes, { batches: [batch] })]),
    ...Array.from({ length: 8 }, () => caller.call(reportQueued, totalsOf(campaign, 4_000))),
  ])

  expect(await stats(campaign)).toEqual({ ...noStats, queued: 4_000, sent: 4_000 })
  await until(async () => (await settlementsLeft(campaign.campaignId)) === 0 && heard.audience.includes(campaign.campaignId), {
    what: 'the settlement',
  })
  expect(times(heard.campaigns, campaign.campaignId)).toBe(1)
  expect(times(heard.audience, campaign.campaignId)).toBe(1)
  await until(() => eventsOf(campaign.campaignId).length >= 4_001)
  expect(eventsOf(campaign.campaignId).filter(({ type }) => type === 'campaign.completed')).toHaveLength(1)
})

test('a campaign settles whether its outcomes come before or after its total', async () => {
  const [early, late] = [givenCampaign(), givenCampaign()]
  for (const campaign of [early, late]) await caller.call(reportQueued, totalsOf(campaign, 10, campaign === late))
  for (const campaign of [early, late]) await caller.call(recordOutcomes, { batches: [batchOf(campaign, givenOutcomes(10))] })
  expect(heard.campaigns).not.toContain(early.campaignId)
  await caller.call(reportQueued, totalsOf(early, 10))

  await until(() => heard.campaigns.includes(early.campaignId) && heard.campaigns.includes(late.campaignId))
  await until(async () => (await settlementsLeft(early.campaignId)) + (await settlementsLeft(late.campaignId)) === 0)
})

test('a send that reaches nobody is settled and completed at once', async () => {
  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  await caller.call(reportQueued, totalsOf(campaign, 0))

  await until(() => heard.campaigns.includes(campaign.campaignId) && heard.audience.includes(campaign.campaignId))
  expect(await stats(campaign)).toEqual(noStats)
  const [completed] = await until(() => eventsOf(campaign.campaignId).length > 0 && eventsOf(campaign.campaignId))
  expect(completed).toMatchObject({
    type: 'campaign.completed',
    data: { queued: 0, byPlatform: { ios: 0, android: 0, web: 0 }, name: 'Spring', transactional: false },
  })
  expect(completed?.userId ?? completed?.subscriptionId ?? completed?.platform).toBeUndefined()
})

test('a late report with lower totals changes nothing', async () => {
  const campaign = givenCampaign()
  await caller.call(reportQueued, totalsOf(campaign, 30, false))
  await caller.call(reportQueued, totalsOf(campaign, 20, false))
  expect((await stats(campaign))?.queued).toBe(30)
})

test('the first outcome of a push stays, with its code and token version', async () => {
  const campaign = givenCampaign()
  await caller.call(reportQueued, totalsOf(campaign, 2))
  const dead = givenOutcome({ outcome: 'failed', code: 'token_dead', providerCode: '410', tokenVersion: 3 })
  await caller.call(recordOutcomes, { batches: [batchOf(campaign, [dead])] })
  await caller.call(recordOutcomes, { batches: [batchOf(campaign, [{ ...dead, outcome: 'sent', code: '' }, givenOutcome()])] })

  expect(await stats(campaign)).toEqual({ ...noStats, queued: 2, sent: 1, failed: 1 })
  const { settled } = await caller.call(readSettled, {
    day: today,
    campaignId: campaign.campaignId,
    subscriptionIds: [dead.subscriptionId, newId()],
  })
  expect(settled).toEqual([
    {
      subscriptionId: dead.subscriptionId,
      outcome: 'failed',
      code: 'token_dead',
      tokenVersion: 3,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ])
})

test('outcomes of an unknown campaign are refused whole, and do not spoil those they travel with', async () => {
  const [known, unknown] = [givenCampaign(), givenCampaign()]
  await caller.call(reportQueued, totalsOf(known, 20))
  const bad = batchOf(unknown, givenOutcomes(5))
  const good = givenOutcomes(20).map((outcome) => batchOf(known, [outcome]))

  const answers = await Promise.allSettled([
    caller.call(recordOutcomes, { batches: [bad] }),
    ...good.map((batch) => caller.call(recordOutcomes, { batches: [batch] })),
  ])

  expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(await stats(known)).toEqual({ ...noStats, queued: 20, sent: 20 })
  expect(await db.selectFrom('ledger').selectAll().where('campaign_id', '=', unknown.campaignId).execute()).toEqual([])
})

test('variants are counted by themselves and add up to the campaign', async () => {
  const campaign = givenCampaign()
  await caller.call(reportQueued, totalsOf(campaign, 7))
  await caller.call(recordOutcomes, {
    batches: [
      batchOf(campaign, [
        ...givenOutcomes(4, { variant: 'a' }),
        ...givenOutcomes(2, { variant: 'b' }),
        givenOutcome({ variant: 'b', outcome: 'failed', code: 'timeout' }),
      ]),
    ],
  })
  const { queued: _, ...none } = noStats
  expect(await stats(campaign)).toEqual({
    ...noStats,
    queued: 7,
    sent: 6,
    failed: 1,
    variants: { a: { ...none, sent: 4 }, b: { ...none, sent: 2, failed: 1 } },
  })
})

test('many campaigns at once on two trackers come out exact', async () => {
  const campaigns = Array.from({ length: 24 }, givenCampaign)
  await Promise.all(campaigns.map((campaign) => caller.call(reportQueued, totalsOf(campaign, 60))))
  const calls = Array.from({ length: 20 }, () =>
    campaigns.map((campaign) => batchOf(campaign, givenOutcomes(3))).toSorted(() => Math.random() - 0.5),
  )

  await Promise.all([...calls, ...calls].map((batches) => caller.call(recordOutcomes, { batches })))

  for (const campaign of campaigns) expect(await stats(campaign)).toEqual({ ...noStats, queued: 60, sent: 60 })
  await until(() => campaigns.every(({ campaignId }) => heard.campaigns.includes(campaignId)))
})

test('what webhooks has confirmed is gone', async () => {
  const left = await until(
    async () => {
      const rows = await db.selectFrom('announcements').select('id').execute()
      return rows.length === 0 && { rows }
    },
    { what: 'an empty table of announcements' },
  )
  expect(left.rows).toEqual([])
})

test('statistics of another app are nobody’s', async () => {
  const campaign = givenCampaign()
  await caller.call(reportQueued, totalsOf(campaign, 1))
  expect(await caller.call(readStats, { appId: newId(), campaignId: campaign.campaignId })).toBeNull()
})
