import { createCampaign, createTemplate, eraseCampaignsOfApp, sendCampaign } from '@herald/contracts/calls/campaigns'
import type { Schedule } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { stopSchedulesOfApp } from './store/apps.ts'
import { insertCampaigns } from './store/campaigns.ts'
import { fingerprintOf, givenCampaign, givenContent, givenPlatform, givenStored, type Platform } from './testing/given-campaigns.ts'

const day = 86_400_000
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const erase = (appId: string) => platform.gateway.call(eraseCampaignsOfApp, { appId })
const create = async (appId: string, schedule: Schedule) => {
  const idempotency = { key: newId(), fingerprint: fingerprintOf('a') }
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency, campaign: givenCampaign({ schedule }) })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  return id
}
const countOf = async (appId: string) => {
  const counts = await Promise.all(
    (['campaigns', 'templates', 'idempotency_keys'] as const).map((table) =>
      platform.db.selectFrom(table).select('app_id').where('app_id', '=', appId).execute(),
    ),
  )
  return counts.flat().length
}
const at = new Date(Date.now() + day).toISOString()
const daily = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'UTC' } as const

test('all of an app goes, and nothing of another', async () => {
  const [gone, stays] = [newId(), newId()]
  for (const appId of [gone, stays]) {
    for (const schedule of [{ type: 'now' }, { type: 'at', at }, daily] as const) await create(appId, schedule)
    await platform.gateway.call(createTemplate, { appId, template: { name: 'Mine', content: givenContent() } })
  }
  expect(await countOf(gone)).toBe(7)
  expect(await erase(gone)).toEqual({ done: true })
  expect(await countOf(gone)).toBe(0)
  expect(await countOf(stays)).toBe(7)
  expect(await erase(gone)).toEqual({ done: true })
})

test('with the first call no schedule of the app starts and no recurrence runs any more', async () => {
  const [gone, stays] = [newId(), newId()]
  const ids = [await create(gone, { type: 'at', at }), await create(gone, daily)]
  const other = await create(stays, { type: 'at', at })
  await stopSchedulesOfApp(platform.db, gone)
  for (const id of ids) expect(await platform.rowOf(id)).toMatchObject({ status: 'cancelled', due_at: null })
  await platform.db.updateTable('campaigns').set({ due_at: new Date() }).where('id', '=', other).execute()
  await until(() => platform.pointersAt(other) === 1, { what: 'the start of another app’s' })
  expect(ids.map(platform.pointersAt)).toEqual([0, 0])
})

test('at most 5,000 rows go with every call', { timeout: 60_000 }, async () => {
  const appId = newId()
  for (let n = 0; n < 12; n += 1)
    await insertCampaigns(
      platform.db,
      Array.from({ length: 500 }, () => ({ ...givenStored(), appId, status: 'draft' as const })),
    )
  expect(await erase(appId)).toEqual({ done: false })
  expect(await countOf(appId)).toBe(1_000)
  expect(await erase(appId)).toEqual({ done: true })
})
