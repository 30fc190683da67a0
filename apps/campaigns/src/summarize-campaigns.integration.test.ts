import { createCampaign, sendNotification, summarizeCampaigns } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { campaignStatuses, type CampaignStatus } from '@herald/contracts/stats'
import { looksOf } from '@herald/testing/plans'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { summarizeCampaigns as summarize } from './summarize-campaigns.ts'
import type { Tables } from './store/tables.ts'
import { givenCampaign, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const create = async (appId: string, name: string) =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign({ name }) })).id
/** Sets a status without the API: the overview sorts moments that are hours and days apart. */
const change = (
  id: string,
  columns: { status: CampaignStatus; due_at?: Date | null; paused_at?: Date; settled_at?: Date; failure?: string },
) => platform.db.updateTable('campaigns').set(columns).where('id', '=', id).execute()
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
const read = (appId: string) => platform.gateway.call(summarizeCampaigns, { appId })

// spec: administration/overview
test('an overview counts campaigns by status, without notifications, and lists the next, paused and failed within 7 days', async () => {
  const appId = newId()
  for (const [place, status] of campaignStatuses.entries()) {
    for (let n = 0; n <= place; n += 1) await change(await create(appId, `${status} ${n}`), { status, due_at: null })
  }
  await platform.gateway.call(sendNotification, { appId, idempotency: null, notification: givenNotification() })
  const byStatus = Object.fromEntries(campaignStatuses.map((status, place) => [status, place + 1]))
  expect(await read(appId)).toEqual({ byStatus, next: [], paused: [], failed: [] })

  const named = await Promise.all(['later', 'soon', 'weekly'].map((name) => create(appId, name)))
  const [later = '', soon = '', weekly = ''] = named
  const [inNine, inTwo, inFive] = [inHours(9), inHours(2), inHours(5)]
  await change(later, { status: 'scheduled', due_at: inNine })
  await change(soon, { status: 'scheduled', due_at: inTwo })
  await change(weekly, { status: 'active', due_at: inFive })
  const [longer, shorter] = [await create(appId, 'longer'), await create(appId, 'shorter')]
  await change(longer, { status: 'paused', paused_at: inHours(-9) })
  await change(shorter, { status: 'paused', paused_at: inHours(-1) })
  const failure = JSON.stringify({ code: 'invalid_segment', message: 'It does not compile.' })
  const [old, fresh, newest] = [await create(appId, 'old'), await create(appId, 'fresh'), await create(appId, 'newest')]
  await change(old, { status: 'failed', settled_at: inHours(-24 * 8), failure })
  await change(fresh, { status: 'failed', settled_at: inHours(-24), failure })
  await change(newest, { status: 'failed', settled_at: inHours(-1), failure })

  const { next, paused, failed } = await read(appId)
  expect(next).toEqual([
    { campaignId: soon, name: 'soon', at: inTwo.toISOString(), schedule: 'now' },
    { campaignId: weekly, name: 'weekly', at: inFive.toISOString(), schedule: 'now' },
    { campaignId: later, name: 'later', at: inNine.toISOString(), schedule: 'now' },
  ])
  expect(paused.map(({ campaignId }) => campaignId)).toEqual([longer, shorter])
  expect(failed).toMatchObject([
    { campaignId: newest, code: 'invalid_segment' },
    { campaignId: fresh, code: 'invalid_segment' },
  ])
  expect(await read(newId())).toEqual({ byStatus: {}, next: [], paused: [], failed: [] })
})

test('each query of the overview of 50,000 notifications reads fewer than 100 database pages and scans no table', async () => {
  const appId = newId()
  const id = sql`'4' || lpad(to_hex(floor(random() * 1e9)::int), 7, '0') || lpad(to_hex(n), 16, '0')`
  for (const [transactional, count] of [
    [true, 50_000],
    [false, 2_000],
  ] as const)
    await sql`
      insert into campaigns (id, app_id, name, status, transactional, silent, data, ttl, priority, bypass)
      select ${id}, ${appId}, 'old', 'sent', ${transactional}, false, '{}', 60, 'high', '{}' from generate_series(1, ${count}) as n`.execute(
      platform.db,
    )
  await sql`vacuum analyze campaigns`.execute(platform.db)
  const looked = await looksOf<Tables>(platform.databaseUrl, (db) => summarize({ db }, { appId }))
  expect(looked).toHaveLength(4)
  for (const { pages, scanned } of looked) expect([scanned, pages < 100]).toEqual([[], true])
})
