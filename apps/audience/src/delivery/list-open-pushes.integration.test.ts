import { listOpenPushes as listOpenPushesCall } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { listOpenPushes } from './list-open-pushes.ts'
import { nextOpenBatches } from './store/open-pushes.ts'
import { finished, retried, withBatches } from '../testing/batches.ts'
import { givenCrowd, givenDevice, openAudience } from '../testing/rig.ts'

const rig = await openAudience()
const { db, bus, startProcess } = rig
const { takeOne, finish, givenBatch } = withBatches(rig)

type Asked = Omit<Parameters<typeof listOpenPushes>[1], 'limit'> & { limit?: number }
const page = (asked: Asked) => listOpenPushes({ db }, { limit: 200, ...asked })
async function walk(asked: Asked) {
  const found: string[] = []
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await page({ ...asked, cursor })
    found.push(...items.map(({ campaignId, subscriptionId }) => `${campaignId} ${subscriptionId}`))
    if (nextCursor === null) return found
    cursor = nextCursor
  }
}

// spec: administration/pushes
test('an open push shows as waiting, sending, retried or held, with its last answer and next try', async () => {
  await startProcess()
  const appId = newId()
  const { id: subscriptionId, userId } = await givenDevice(db, { appId, platform: 'android' })
  const batchId = await givenBatch(appId)
  const shown = async () => (await bus.call(listOpenPushesCall, { appId, limit: 10 })).items
  const never = { tries: 0, code: null, providerCode: null, nextTryAt: null }
  const [waiting] = await shown()
  expect(waiting).toEqual({ campaignId: waiting?.campaignId, subscriptionId, userId, platform: 'android', state: 'waiting', ...never })

  const { takes } = await takeOne(batchId)
  expect(await shown()).toMatchObject([{ ...never, state: 'sending' }])

  const answered = { code: 'provider_unavailable' as const, providerCode: '503 UNAVAILABLE' }
  await finish(finished(batchId, takes, { retries: [retried({ subscriptionId, userId }, { ...answered, tries: 2, retryInMs: 60_000 })] }))
  const [retry] = await shown()
  expect(retry).toMatchObject({ ...answered, tries: 2, state: 'retry' })
  const { at } = await db.selectFrom('batches').select('not_before as at').where('retry_of', '=', batchId).executeTakeFirstOrThrow()
  expect(retry?.nextTryAt).toBe(at?.toISOString())

  await sql`update batches set held_since = now() where retry_of = ${batchId}`.execute(db)
  expect(await shown()).toMatchObject([{ ...answered, state: 'held' }])
  await sql`update batches set done_at = now() where app_id = ${appId}`.execute(db)
  expect(await shown()).toEqual([])
})

// spec: administration/pushes
test('open pushes are found by platform and by when they were queued', async () => {
  const appId = newId()
  const ids: Record<string, string> = {}
  for (const platform of ['ios', 'android', 'web'] as const) ids[platform] = (await givenDevice(db, { appId, platform })).id
  await givenBatch(appId)
  await sql`update batches set queued_at = '2026-01-01T00:00:00Z' where app_id = ${appId} and platform = 'ios'`.execute(db)
  const found = async (asked: Asked) => (await page(asked)).items.map(({ subscriptionId }) => subscriptionId).toSorted()
  const idsOf = (...platforms: string[]) => platforms.map((platform) => String(ids[platform])).toSorted()

  expect(await found({ appId })).toEqual(idsOf('ios', 'android', 'web'))
  expect(await found({ appId, platform: 'android' })).toEqual(idsOf('android'))
  expect(await found({ appId, from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.001Z' })).toEqual(idsOf('ios'))
  expect(await found({ appId, to: '2026-01-01T00:00:00.000Z' })).toEqual([])
  expect(await found({ appId, from: '2026-01-01T00:00:00.001Z' })).toEqual(idsOf('android', 'web'))
})

describe('pages of open pushes', () => {
  test.each([1, 7, 200])('pages of %i hold each open push once, newest campaign first', async (limit) => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 20, platform: 'android' })
    const campaigns: string[] = []
    for (const batchId of [await givenBatch(appId), await givenBatch(appId), await givenBatch(appId)]) {
      campaigns.push((await takeOne(batchId)).campaignId)
    }
    const newestFirst = campaigns.toSorted().toReversed()

    expect(await walk({ appId, limit })).toEqual(newestFirst.flatMap((campaignId) => crowd.map((id) => `${campaignId} ${id}`)))
    expect(await walk({ appId, limit, campaignId: campaigns[1] })).toEqual(crowd.map((id) => `${campaigns[1]} ${id}`))
    expect(await walk({ appId, limit, subscriptionId: crowd[3] })).toEqual(newestFirst.map((campaignId) => `${campaignId} ${crowd[3]}`))
    expect(await walk({ appId, limit, code: 'timeout' })).toEqual([])
    expect(await walk({ appId: newId(), limit })).toEqual([])
  })

  test('a list of open pushes that is asked for with an invalid cursor is refused', async () => {
    await expect(page({ appId: newId(), cursor: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_body' })
  })

  test('a page of open pushes looks at 200 batches at most, however many pushes are under way', async () => {
    const appId = newId()
    const [campaignId, wanted] = [newId(), newId()]
    await sql`
      insert into batches (id, app_id, campaign_id, platform, lane, day, batch_no, subscription_ids, user_ids, done_at)
      select lpad(to_hex(n), 24, '0'), case when n % 20 = 0 then ${appId} else 'another app' end, lpad(to_hex(n / 100), 24, '0'), 'android',
        'prompt', now(), n, array[${wanted}], array[${newId()}], case when n % 3 = 0 then null else now() end
      from generate_series(1, 100_000) as n`.execute(db)
    await sql`vacuum analyze batches`.execute(db)

    const plan = async (asked: Asked) => {
      const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
        explain (analyze, format json) ${nextOpenBatches({ limit: 5, after: undefined, ...asked })}`.execute(db)
      return rows[0]?.['QUERY PLAN'][0]?.Plan
    }
    const last = (await page({ appId, limit: 5 })).items.at(-1)
    for (const asked of [{ appId }, { appId, campaignId: last?.campaignId ?? '' }, { appId, subscriptionId: newId() }]) {
      const scan = (await plan(asked))?.Plans?.[0]
      expect(scan?.['Index Name']).toBe('batches_open')
      expect(scan?.['Actual Rows']).toBeLessThanOrEqual(201)
    }

    // No push belongs to this device: the page is empty, and its cursor says where the next page goes on.
    const nobody = await page({ appId, limit: 5, subscriptionId: campaignId })
    expect(nobody.items).toEqual([])
    expect(nobody.nextCursor).not.toBeNull()
  })
})

type Plan = { 'Index Name'?: string; 'Actual Rows': number; Plans?: Plan[] }
