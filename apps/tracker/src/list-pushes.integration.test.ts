import { listPushes, recordOutcomes, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { OutcomeKind } from '@herald/contracts/outcome'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { beforeAll, expect, test } from 'vitest'
import { batchesOf, givenOutcome, givenOutcomes, givenTracker, outcomesOf, report, givenSettled } from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
const appId = newId()
const campaigns = [0, 60_000, 120_000].map((ago) => ({ appId, campaignId: newId(new Date(Date.now() - ago)) }))
const [newest] = campaigns as [{ appId: string; campaignId: string }]
const person = newId()
const device = newId()

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  for (const campaign of campaigns) {
    await givenSettled(caller, campaign, [
      ...givenOutcomes(10),
      givenOutcome({ userId: person, subscriptionId: device }),
      givenOutcome({ outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered' }),
    ])
  }
  const foreign = { appId: newId(), campaignId: newId() }
  await givenSettled(caller, foreign, [givenOutcome({ userId: person, subscriptionId: device })])
})

type Filter = { campaignId?: string; userId?: string; subscriptionId?: string; outcome?: OutcomeKind; code?: string }

async function all(filter: Filter, limit: number, ofApp = appId) {
  const items: Awaited<ReturnType<typeof page>>['items'] = []
  const page = (cursor: string | undefined) =>
    caller.call(listPushes, { appId: ofApp, limit, ...filter, ...(cursor === undefined ? {} : { cursor }) })
  let cursor: string | undefined
  do {
    const answer = await page(cursor)
    expect(answer.items.length).toBeLessThanOrEqual(limit)
    items.push(...answer.items)
    cursor = answer.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
}

// spec: administration/pushes, limits/list-gaps
test('the pages of a list show every push of the app once, the newest campaign first', async () => {
  const items = await all({}, 7)
  expect(items).toHaveLength(36)
  expect(new Set(items.map(({ campaignId, subscriptionId }) => campaignId + subscriptionId)).size).toBe(36)
  expect([...new Set(items.map(({ campaignId }) => campaignId))]).toEqual(campaigns.map(({ campaignId }) => campaignId))
})

// spec: administration/pushes
test('a list can be filtered by campaign, user, device, outcome and code, and its cursor leads to the end', async () => {
  expect(await all({ campaignId: newest.campaignId }, 5)).toHaveLength(12)
  expect((await all({ userId: person }, 2)).map(({ subscriptionId }) => subscriptionId)).toEqual([device, device, device])
  expect((await all({ subscriptionId: device }, 2)).map(({ campaignId }) => campaignId)).toEqual(
    campaigns.map(({ campaignId }) => campaignId),
  )
  expect(await all({ subscriptionId: device, campaignId: newest.campaignId }, 2)).toHaveLength(1)
  expect(await all({ outcome: 'failed' }, 1)).toHaveLength(3)
  expect(await all({ code: 'opted_out' }, 10)).toEqual([])
})

// spec: tracking/failure-data
test('a listed push shows how it ended', async () => {
  const [failed] = await all({ campaignId: newest.campaignId, code: 'token_dead' }, 10)
  expect(failed).toMatchObject({
    ...{ campaignId: newest.campaignId },
    platform: 'ios',
    variant: null,
    outcome: 'failed',
    code: 'token_dead',
    providerCode: '410 Unregistered',
    attempts: 1,
  })
  const [sent] = await all({ campaignId: newest.campaignId, subscriptionId: device }, 10)
  expect(sent).toMatchObject({ outcome: 'sent', code: null, providerCode: null, userId: person })
})

test('filtered by campaign, user, device, outcome or code, pages show each ended push once, newest campaign first', async () => {
  const app = newId()
  const [alice, bob] = [newId(), newId()]
  const [phone, tablet] = [newId(), newId()]
  const ofAlice = { userId: alice, subscriptionId: phone }
  const expected: { campaignId: string; no: number; subscriptionId: string; userId: string; outcome: OutcomeKind; code: string }[] = []
  for (const [ago, size] of [1, 40, 2, 700, 16, 17, 1].entries()) {
    const campaign = { appId: app, campaignId: newId(new Date(Date.now() - ago * 60_000)) }
    const pushes = givenOutcomes(size)
    Object.assign(pushes[Math.floor(size / 2)] ?? {}, ofAlice)
    if (size > 1)
      Object.assign(pushes[0] ?? {}, { userId: size % 2 ? bob : alice, subscriptionId: tablet, outcome: 'failed', code: 'timeout' })
    if (size > 30) Object.assign(pushes[size - 1] ?? {}, { outcome: 'skipped', code: 'opted_out' })
    const batches = batchesOf(campaign, pushes, { size: 300 })
    await report(caller, campaign, batches)
    // The last push of each large batch has no outcome yet.
    const told = batches.map((batch) => ({ ...batch, to: batch.pushes.length > 200 ? batch.pushes.length - 1 : batch.pushes.length }))
    for (const { to, ...batch } of told) await caller.call(recordOutcomes, { batches: [outcomesOf(batch, 0, to)] })
    expected.push(...told.flatMap(({ no, to, pushes: made }) => made.slice(0, to).map((push) => ({ ...campaign, no, ...push }))))
  }
  const keyOf = (push: { campaignId: string; subscriptionId: string }) => push.campaignId + push.subscriptionId
  const check = async (filter: Filter, limit: number, isWanted: (push: (typeof expected)[number]) => boolean) => {
    const items = await all(filter, limit, app)
    expect(items.map(keyOf).toSorted()).toEqual(expected.filter(isWanted).map(keyOf).toSorted())
    const campaignIds = items.map(({ campaignId }) => campaignId)
    expect(campaignIds).toEqual(campaignIds.toSorted().toReversed())
  }
  for (const limit of [3, 200]) {
    await check({}, limit === 3 ? 50 : limit, () => true)
    await check({ outcome: 'failed' }, limit, ({ outcome }) => outcome === 'failed')
    await check({ code: 'opted_out' }, limit, ({ code }) => code === 'opted_out')
    await check({ userId: alice }, limit, ({ userId }) => userId === alice)
    await check({ userId: alice, outcome: 'failed' }, limit, ({ userId, outcome }) => userId === alice && outcome === 'failed')
    await check({ subscriptionId: phone }, limit, ({ subscriptionId }) => subscriptionId === phone)
    await check({ subscriptionId: tablet, userId: bob }, limit, (push) => push.subscriptionId === tablet && push.userId === bob)
    const large = expected.find(({ no }) => no === 3)?.campaignId ?? ''
    await check({ campaignId: large, outcome: 'sent' }, 50, ({ campaignId, outcome }) => campaignId === large && outcome === 'sent')
    await check({ campaignId: large, subscriptionId: phone }, limit, (push) => push.campaignId === large && push.subscriptionId === phone)
  }
})

test('a device is found in a campaign whose batches have overlapping ranges of device ids', async () => {
  const campaign = { appId: newId(), campaignId: newId() }
  const pushes = givenOutcomes(200).toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1))
  // Each batch takes every fifth device in the order of their ids, so its range covers nearly all devices.
  const batches = Array.from({ length: 5 }, (_, n) =>
    batchesOf(
      campaign,
      pushes.filter((__, index) => index % 5 === n),
      { no: n + 1 },
    ),
  ).flat()
  await report(caller, campaign, batches)
  await caller.call(recordOutcomes, { batches: batches.map((batch) => outcomesOf(batch)) })
  for (const { subscriptionId } of pushes.filter((_, index) => index % 7 === 0)) {
    const items = await all({ subscriptionId }, 5, campaign.appId)
    expect(items.map((item) => item.subscriptionId)).toEqual([subscriptionId])
  }
})

// spec: limits/list-gaps
test('pushes that a filter rarely fits are found by going on from page to page, also past an empty page', async () => {
  const large = { appId: newId(), campaignId: newId() }
  // Every push has a row of its own, which is the worst case for a page.
  const batches = batchesOf(large, [givenOutcome({ outcome: 'failed', code: 'timeout' }), ...givenOutcomes(2_500)], { size: 10 })
  await report(caller, large, batches)
  for (let from = 0; from < batches.length; from += 100)
    await caller.call(recordOutcomes, { batches: batches.slice(from, from + 100).map((batch) => outcomesOf(batch)) })

  const empty = await caller.call(listPushes, { appId: large.appId, limit: 10, outcome: 'failed' })
  expect(empty).toEqual({ items: [], nextCursor: expect.any(String) })
  const found = await caller.call(listPushes, { appId: large.appId, limit: 10, outcome: 'failed', cursor: String(empty.nextCursor) })
  expect(found.items.map(({ code }) => code)).toEqual(['timeout'])
  expect(found.nextCursor).toBeNull()
})

test('a cursor that no list gave is refused, and the error names the field', async () => {
  await expect(caller.call(listPushes, { appId, limit: 10, cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'cursor' }],
  })
})

test('a listed push shows what its device reported', async () => {
  const engagement = { ...newest, userId: person, subscriptionId: device, platform: 'ios', variant: '' } as const
  await caller.call(trackEvents, { engagements: [{ kind: 'delivered', ...engagement }] })
  await caller.call(trackEvents, { engagements: [{ kind: 'opened', ...engagement }] })

  const pushes = await all({ campaignId: newest.campaignId }, 50)

  expect(pushes.filter(({ engagements }) => engagements.length > 0)).toHaveLength(1)
  expect(pushes.find(({ subscriptionId }) => subscriptionId === device)?.engagements).toEqual(['delivered', 'opened'])
})
