import { listPushes, recordOutcomes, type LedgerRow } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import { batchesOf, givenOutcome, givenOutcomes, givenTracker, outcomesOf, report, givenSettled } from './testing/given-tracker.ts'

const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
const url = database.url('tracker')
const { db } = await openDatabase<Tables>(testService('tracker', {}), { url, poolSize: 2 })
let caller: Awaited<ReturnType<typeof givenPeer>>
beforeAll(async () => {
  await givenTracker({ databaseUrl: url, natsUrl })
  caller = await givenPeer('gateway', natsUrl)
})

type Filter = { platform?: Platform; from?: string; to?: string; subscriptionId?: string; campaignId?: string; outcome?: 'sent' | 'failed' }

async function all(appId: string, filter: Filter, limit = 7): Promise<LedgerRow[]> {
  const items: LedgerRow[] = []
  let cursor: string | undefined
  do {
    const page: { items: LedgerRow[]; nextCursor: string | null } = await caller.call(listPushes, {
      appId,
      limit,
      ...filter,
      ...(cursor === undefined ? {} : { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
}
const idsOf = (rows: readonly { subscriptionId: string }[]) => rows.map(({ subscriptionId }) => subscriptionId).toSorted()
async function nowOf(): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  return rows[0]?.at ?? new Date(Number.NaN)
}

// spec: administration/pushes
test('a list can be filtered by platform, also when a campaign has several platforms, for small and for large batches', async () => {
  const appId = newId()
  const campaign = { appId, campaignId: newId() }
  const pushes = { ios: givenOutcomes(40), android: givenOutcomes(3), web: [givenOutcome({ outcome: 'failed', code: 'timeout' })] }
  const batches = [
    ...batchesOf(campaign, pushes.ios, { platform: 'ios' }),
    ...batchesOf(campaign, pushes.android, { platform: 'android', no: 2 }),
    ...batchesOf(campaign, pushes.web, { platform: 'web', no: 3 }),
  ]
  await report(caller, campaign, batches)
  for (const batch of batches) await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })

  for (const platform of ['ios', 'android', 'web'] as const) {
    const found = await all(appId, { platform })
    expect(found.every((row) => row.platform === platform)).toBe(true)
    expect(idsOf(found)).toEqual(idsOf(pushes[platform]))
    const [one] = pushes[platform]
    expect(await all(appId, { platform, subscriptionId: one?.subscriptionId ?? '' })).toHaveLength(1)
  }
  expect(await all(appId, { platform: 'ios', outcome: 'failed' })).toEqual([])
  expect(await all(appId, { platform: 'ios', subscriptionId: pushes.android[0]?.subscriptionId ?? '' })).toEqual([])
})

// spec: administration/pushes
test('a list filters by when pushes ended, and shows each once, whenever its campaign was made', async () => {
  const appId = newId()
  const old = { appId, campaignId: newId(new Date(Date.now() - 40 * 86_400_000)) }
  const device = newId()
  const first = givenOutcomes(20)
  const firstBatches = batchesOf(old, first)
  // A campaign that was made 40 days ago and is still being sent.
  const last = [...givenOutcomes(20), givenOutcome({ subscriptionId: device })]
  const lastBatches = batchesOf(old, last, { no: 2 })
  await report(caller, old, [...firstBatches, ...lastBatches])
  const begin = (await nowOf()).toISOString()
  for (const batch of firstBatches) await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
  const middle = await nextMillisecond()
  for (const batch of lastBatches) await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
  const second = givenOutcomes(2)
  await givenSettled(caller, { appId, campaignId: newId() }, second)
  const end = await nextMillisecond()

  expect(idsOf(await all(appId, { from: begin, to: middle }))).toEqual(idsOf(first))
  expect(idsOf(await all(appId, { from: middle, to: end }))).toEqual(idsOf([...last, ...second]))
  expect(idsOf(await all(appId, { from: middle, campaignId: old.campaignId }))).toEqual(idsOf(last))
  expect(await all(appId, { from: middle, subscriptionId: device })).toHaveLength(1)
  expect(await all(appId, { to: middle, subscriptionId: device })).toEqual([])
  expect(await all(appId, { from: end })).toEqual([])
  expect(await all(appId, { to: begin })).toEqual([])
  for (const row of await all(appId, { from: middle })) expect(row.settledAt >= middle).toBe(true)
})

/** Waits until the database's time is later than every outcome so far, and gives it. */
async function nextMillisecond(): Promise<string> {
  const begun = (await nowOf()).getTime()
  for (;;) {
    const now = await nowOf()
    if (now.getTime() > begun) return now.toISOString()
  }
}
