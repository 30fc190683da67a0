import { createCampaign, listRuns as listRunsCall } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { fillCampaigns } from '@herald/testing/history'
import { looksOf } from '@herald/testing/plans'
import { testService } from '@herald/testing/service'
import { sql, type Kysely } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listRuns } from './list-runs.ts'
import { insertRuns } from './store/recurrences.ts'
import type { Tables } from './store/tables.ts'
import { givenCampaign, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const draft = async (ofApp = appId) =>
  (await platform.gateway.call(createCampaign, { appId: ofApp, idempotency: null, campaign: givenCampaign() })).id
const daysFrom = (count: number) => Array.from({ length: count }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
const giveRuns = async (db: Kysely<Tables>, recurringOf: string, days: string[]) =>
  insertRuns(
    db,
    days.map((localDate) => ({ id: newId(), recurringOf, localDate })),
  )

async function walk(campaignId: string, limit: number) {
  const days: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await platform.gateway.call(listRunsCall, { appId, campaignId, limit, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    days.push(...page.items.map(({ localDate }) => localDate))
    cursor = page.nextCursor
  }
  return days
}

// spec: administration/runs
test('a recurrence’s runs are listed newest day first, each once, whatever the page size, without others’ runs', async () => {
  const [id, other] = [await draft(), await draft()]
  const days = daysFrom(40)
  const made = await giveRuns(platform.db, id, days)
  await giveRuns(platform.db, other, daysFrom(3))
  for (const limit of [1, 7, 40, 200]) expect(await walk(id, limit)).toEqual(days.toReversed())

  const { items } = await platform.gateway.call(listRunsCall, { appId, campaignId: id, limit: 1 })
  expect(items).toMatchObject([{ localDate: '2026-02-09', status: 'sending', cancelling: false, failure: null, settledAt: null }])
  expect(made).toContain(items[0]?.id)
})

// spec: administration/runs
test('a campaign that does not recur has no runs; an unknown or another app’s is not found', async () => {
  expect(await walk(await draft(), 10)).toEqual([])
  const notFound = { code: 'not_found' }
  await expect(walk(newId(), 10)).rejects.toMatchObject(notFound)
  await expect(walk(await draft(newId()), 10)).rejects.toMatchObject(notFound)
})

test('a page of a recurrence’s 5,000 runs among 50,000 campaigns reads fewer than 150 database pages', async () => {
  const { url } = await freshDatabase()
  const { db } = await openDatabase<Tables>(testService('campaigns', {}), { url: url('campaigns'), poolSize: 2 })
  const own = newId()
  await fillCampaigns(url('campaigns'), { appId: own, count: 50_000, days: 12, templateId: newId() })
  const parent = await db.selectFrom('campaigns').select('id').where('transactional', '=', false).executeTakeFirstOrThrow()
  const days = daysFrom(5_000)
  await giveRuns(db, parent.id, days)
  await sql`vacuum analyze campaigns`.execute(db)

  let found: string[] = []
  for (const cursor of [undefined, Buffer.from(`${Date.UTC(2030, 0, 1)}.${newId()}`).toString('base64url')]) {
    const looks = await looksOf<Tables>(url('campaigns'), async (mine) => {
      found = (await listRuns({ db: mine }, { appId: own, campaignId: parent.id, limit: 20, cursor })).items.map(
        ({ localDate }) => localDate,
      )
    })
    expect(looks.flatMap(({ scanned }) => scanned)).toEqual([])
    expect(looks.reduce((sum, { pages }) => sum + pages, 0)).toBeLessThan(150)
    const newest = cursor === undefined ? days : days.filter((day) => day < '2030-01-01')
    expect(found).toEqual(newest.toReversed().slice(0, 20))
  }
})
