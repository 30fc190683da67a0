import {
  createCampaign,
  createTemplate,
  duplicateCampaign,
  eraseCampaignsOfApp,
  pickWinner,
  sendCampaign,
  sendNotification,
} from '@herald/contracts/calls/campaigns'
import type { Schedule } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { stopSchedulesOfApp } from './store/apps.ts'
import { insertCampaigns } from './store/new-campaigns.ts'
import { deleteOldErasedApps } from '@herald/service/erased-apps'
import {
  fingerprintOf,
  givenCampaign,
  givenContent,
  givenExperiment,
  givenNotification,
  givenPlatform,
  givenStored,
  type Platform,
} from './testing/given-campaigns.ts'

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

// spec: administration/delete-app
test('erasing an app deletes its campaigns, templates and idempotency records, and none of another app', async () => {
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

test('once the erasure of an app begins, none of its schedules starts and none of its recurrences runs', async () => {
  const [gone, stays] = [newId(), newId()]
  const ids = [await create(gone, { type: 'at', at }), await create(gone, daily)]
  const other = await create(stays, { type: 'at', at })
  await stopSchedulesOfApp(platform.db, gone)
  for (const id of ids) expect(await platform.rowOf(id)).toMatchObject({ status: 'cancelled', due_at: null })
  await platform.db.updateTable('campaigns').set({ due_at: new Date() }).where('id', '=', other).execute()
  await until(() => platform.pointersAt(other) === 1, { what: 'the start of another app’s' })
  expect(ids.map(platform.pointersAt)).toEqual([0, 0])
})

// spec: administration/delete-app
test('each call of an erasure deletes at most 5,000 rows', async () => {
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

const mark = (appId: string) => platform.db.insertInto('erased_apps').values({ app_id: appId }).execute()
const notify = (appId: string) =>
  platform.gateway.call(sendNotification, {
    appId,
    idempotency: { key: newId(), fingerprint: fingerprintOf('a') },
    notification: givenNotification(),
  })

test('a send of a deleted app that commits while the app is being erased is deleted too', async () => {
  const { db } = platform
  const appId = newId()
  const [touched, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const accepting = db.transaction().execute(async (trx) => {
    await insertCampaigns(trx, [{ ...givenStored(), appId }])
    touched.resolve()
    await release.promise
  })
  await touched.promise
  const erasing = erase(appId)
  const waits = until(async () => {
    const own = sql`(select oid from pg_database where datname = current_database())`
    return (await sql`select from pg_locks where not granted and database = ${own}`.execute(db)).rows.length > 0
  })
  await Promise.race([erasing, waits])
  release.resolve()
  await accepting

  expect(await erasing).toEqual({ done: true })
  expect(await countOf(appId)).toBe(0)
})

test('a notification, draft or template for an erased app is not_found and not stored; another app’s is', async () => {
  const [gone, stays] = [newId(), newId()]
  await erase(gone)

  const sends = await Promise.allSettled([notify(gone), notify(stays), notify(gone), notify(stays)])
  expect(sends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  for (const late of [
    () => notify(gone),
    () => platform.gateway.call(createCampaign, { appId: gone, idempotency: null, campaign: givenCampaign() }),
    () => platform.gateway.call(createTemplate, { appId: gone, template: { name: 'Mine', content: givenContent() } }),
  ])
    await expect(late()).rejects.toMatchObject({ code: 'not_found' })

  expect(await countOf(gone)).toBe(0)
  expect(await countOf(stays)).toBe(4)
})

test('an app that is being erased gets no further campaign: no run of a recurrence, no winner, no copy', async () => {
  const appId = newId()
  const recurring = await create(appId, daily)
  const experiment = await platform.campaignIn('sent', appId, { experiment: givenExperiment() })
  const before = await countOf(appId)
  await mark(appId)

  await platform.db.updateTable('campaigns').set({ due_at: new Date() }).where('id', '=', recurring).execute()
  await until(async () => ((await platform.rowOf(recurring)).due_at ?? new Date(0)) > new Date(), { what: 'the next occurrence' })
  await expect(platform.gateway.call(pickWinner, { appId, campaignId: experiment, variant: 'a', by: null })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(platform.gateway.call(duplicateCampaign, { appId, campaignId: recurring })).rejects.toMatchObject({ code: 'not_found' })
  expect(await countOf(appId)).toBe(before)
  expect(await erase(appId)).toEqual({ done: true })
  expect(await countOf(appId)).toBe(0)
})

test('an app that is deleted while its backend keeps sending notifications leaves no campaign and no idempotency record behind', async () => {
  const appId = newId()
  let erasing = true
  const refused: unknown[] = []
  const busy = Array.from({ length: 8 }, async () => {
    for (let n = 0; erasing || n < 5; n += 1) await notify(appId).catch((error: unknown) => refused.push(error))
  })
  const eraseWhole = async () => {
    await until(async () => (await countOf(appId)) > 50)
    while (!(await erase(appId)).done);
  }
  await eraseWhole().finally(() => (erasing = false))
  await Promise.all(busy)

  expect(await countOf(appId)).toBe(0)
  expect(refused.length).toBeGreaterThan(0)
  for (const error of refused) expect(error).toMatchObject({ code: 'not_found' })
})

test('the mark of an erased app is kept for the days of its retention and then deleted', async () => {
  const { db } = platform
  const [late, old] = [newId(), newId()]
  await sql`insert into erased_apps (app_id, at) values (${late}, now() - interval '6 days'), (${old}, now() - interval '8 days')`.execute(
    db,
  )
  expect(await deleteOldErasedApps(db, 7)).toBe(1)
  expect(await db.selectFrom('erased_apps').select('app_id').where('app_id', 'in', [late, old]).execute()).toEqual([{ app_id: late }])
})
