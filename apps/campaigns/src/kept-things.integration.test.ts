import { createCampaign, createTemplate, deleteTemplate, duplicateCampaign } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fingerprintOf, givenContent, givenPlatform, type Platform } from './testing/given-campaigns.ts'

let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const givenDrafts = (appId: string, count: number) =>
  sql`
    insert into campaigns (id, app_id, name, status, transactional, silent, data, ttl, priority, bypass, content, schedule, target)
    select encode(substr(sha256(convert_to(${appId} || n, 'UTF8')), 1, 12), 'hex'), ${appId}, 'Draft', 'draft', false, false, '{}', 60, 'high', '{}',
      ${JSON.stringify(givenContent())}::jsonb, '{"type":"now"}', '{"kind":"all"}'
    from generate_series(1, ${count}::int) as n`.execute(platform.db)
const codesOf = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => (one.status === 'fulfilled' ? 'made' : String(one.reason.code))).toSorted()
const draft = { name: 'Draft', content: givenContent(), schedule: { type: 'now' as const } }

// spec: limits/kept-things
test('an app has at most 10,000 drafts, also made or duplicated at once; another app is not affected', async () => {
  const [appId, other] = [newId(), newId()]
  await givenDrafts(appId, 9_998)
  const of = (await platform.db.selectFrom('campaigns').select('id').where('app_id', '=', appId).limit(1).executeTakeFirstOrThrow()).id
  const make = (app: string, key?: string) =>
    platform.gateway.call(createCampaign, {
      appId: app,
      idempotency: key === undefined ? null : { key, fingerprint: fingerprintOf('a') },
      campaign: draft,
    })

  const calls = [
    ...Array.from({ length: 4 }, () => make(appId)),
    make(appId, 'with a key'),
    platform.gateway.call(duplicateCampaign, { appId, campaignId: of }),
  ]
  expect(await codesOf([...calls, make(other)])).toEqual([...Array.from({ length: 4 }, () => 'limit_reached'), 'made', 'made', 'made'])
  const { rows } = await sql<{ count: number }>`select count(*) as count from campaigns where app_id = ${appId}`.execute(platform.db)
  expect(rows[0]?.count).toBe(10_000)
  await expect(platform.gateway.call(duplicateCampaign, { appId, campaignId: of })).rejects.toMatchObject({ code: 'limit_reached' })
})

// spec: limits/kept-things
test('an app has at most 1,000 templates, also made at the same moment; a deletion frees a place', async () => {
  const appId = newId()
  await sql`insert into templates (id, app_id, name, content)
    select encode(substr(sha256(convert_to(${appId} || n, 'UTF8')), 1, 12), 'hex'), ${appId}, 'T' || n, ${JSON.stringify(givenContent())}::jsonb
    from generate_series(1, 998) as n`.execute(platform.db)
  const make = (name: string) => platform.gateway.call(createTemplate, { appId, template: { name, content: givenContent() } })

  const codes = await codesOf(Array.from({ length: 6 }, (_, place) => make(`New ${place}`)))
  expect(codes).toEqual([...Array.from({ length: 4 }, () => 'limit_reached'), 'made', 'made'])
  await expect(make('T1')).rejects.toMatchObject({ code: 'duplicate_name' })
  const { id } = await platform.db.selectFrom('templates').select('id').where('app_id', '=', appId).limit(1).executeTakeFirstOrThrow()
  await platform.gateway.call(deleteTemplate, { appId, templateId: id })
  expect(await codesOf([make('After')])).toEqual(['made'])
})
