import { listPushes, recordOutcomes, reportQueued, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { OutcomeKind } from '@herald/contracts/outcome'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { beforeAll, expect, test } from 'vitest'
import { batchOf, givenOutcome, givenOutcomes, givenPeer, givenTracker, totalsOf } from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
const appId = newId()
/** Three campaigns, a minute apart, of one app. */
const campaigns = [0, 60_000, 120_000].map((ago) => ({ appId, campaignId: newId(new Date(Date.now() - ago)) }))
const [newest] = campaigns as [{ appId: string; campaignId: string }]
const person = newId()
const device = newId()

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  for (const campaign of campaigns) {
    await caller.call(reportQueued, totalsOf(campaign, 12))
    await caller.call(recordOutcomes, {
      batches: [
        batchOf(campaign, [
          ...givenOutcomes(10),
          givenOutcome({ userId: person, subscriptionId: device }),
          givenOutcome({ outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered' }),
        ]),
      ],
    })
  }
  const foreign = { appId: newId(), campaignId: newId() }
  await caller.call(reportQueued, totalsOf(foreign, 1))
  await caller.call(recordOutcomes, { batches: [batchOf(foreign, [givenOutcome({ userId: person, subscriptionId: device })])] })
})

type Filter = { campaignId?: string; userId?: string; subscriptionId?: string; outcome?: OutcomeKind; code?: string }

/** All pages of a list. */
async function all(filter: Filter, limit: number) {
  const items: Awaited<ReturnType<typeof page>>['items'] = []
  const page = (cursor: string | undefined) =>
    caller.call(listPushes, { appId, limit, ...filter, ...(cursor === undefined ? {} : { cursor }) })
  let cursor: string | undefined
  do {
    const answer = await page(cursor)
    expect(answer.items.length).toBeLessThanOrEqual(limit)
    items.push(...answer.items)
    cursor = answer.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
}

test('pages show every push of the app once, the newest campaign first', async () => {
  const items = await all({}, 7)
  expect(items).toHaveLength(36)
  expect(new Set(items.map(({ campaignId, subscriptionId }) => campaignId + subscriptionId)).size).toBe(36)
  expect([...new Set(items.map(({ campaignId }) => campaignId))]).toEqual(campaigns.map(({ campaignId }) => campaignId))
})

test('a list is narrowed by campaign, user, device, outcome and code, and each pages to its end', async () => {
  expect(await all({ campaignId: newest.campaignId }, 5)).toHaveLength(12)
  expect((await all({ userId: person }, 2)).map(({ subscriptionId }) => subscriptionId)).toEqual([device, device, device])
  expect((await all({ subscriptionId: device }, 2)).map(({ campaignId }) => campaignId)).toEqual(
    campaigns.map(({ campaignId }) => campaignId),
  )
  expect(await all({ subscriptionId: device, campaignId: newest.campaignId }, 2)).toHaveLength(1)
  expect(await all({ outcome: 'failed' }, 1)).toHaveLength(3)
  expect(await all({ code: 'opted_out' }, 10)).toEqual([])
})

test('a row says how the push ended', async () => {
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

test('what is rare among many pushes is found by paging on, also past empty pages', async () => {
  const large = { appId: newId(), campaignId: newId() }
  const first = '0'.repeat(24)
  await caller.call(reportQueued, totalsOf(large, 10_501))
  for (let from = 0; from < 10_500; from += 1_000) {
    const outcomes = givenOutcomes(Math.min(1_000, 10_500 - from))
    await caller.call(recordOutcomes, { batches: [batchOf(large, outcomes)] })
  }
  await caller.call(recordOutcomes, {
    batches: [batchOf(large, [givenOutcome({ subscriptionId: first, outcome: 'failed', code: 'timeout' })])],
  })

  const empty = await caller.call(listPushes, { appId: large.appId, limit: 10, outcome: 'failed' })
  expect(empty).toEqual({ items: [], nextCursor: expect.any(String) })
  const found = await caller.call(listPushes, { appId: large.appId, limit: 10, outcome: 'failed', cursor: String(empty.nextCursor) })
  expect(found.items.map(({ subscriptionId }) => subscriptionId)).toEqual([first])
  expect(found.nextCursor).toBeNull()
})

test('a cursor that is none of ours is refused at its path', async () => {
  await expect(caller.call(listPushes, { appId, limit: 10, cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'cursor' }],
  })
})

test('a push shows what its device reported of it', async () => {
  const engagement = { ...newest, userId: person, subscriptionId: device, platform: 'ios', variant: '' } as const
  await caller.call(trackEvents, { engagements: [{ kind: 'delivered', ...engagement }] })
  await caller.call(trackEvents, { engagements: [{ kind: 'opened', ...engagement }] })

  const pushes = await all({ campaignId: newest.campaignId }, 50)

  expect(pushes.filter(({ engagements }) => engagements.length > 0)).toHaveLength(1)
  expect(pushes.find(({ subscriptionId }) => subscriptionId === device)?.engagements).toEqual(['delivered', 'opened'])
})
