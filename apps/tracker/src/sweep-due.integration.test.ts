import { dropCampaigns } from '@herald/contracts/calls/audience'
import { settleCampaigns } from '@herald/contracts/calls/campaigns'
import { confirmTrackerAnnouncements } from '@herald/contracts/calls/tracker'
import { fault, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { announcements, eventSubjects } from '@herald/contracts/topology'
import type { Bus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { announcementsOf } from './announce.ts'
import { deleteOldCounters, deleteOldNotifications } from './store/counters.ts'
import { writeReport } from './store/reports.ts'
import { takeDue } from './announce.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { deleteOldDays, getDaysAround, insertDay } from './store/partitions.ts'
import type { Tables } from './store/tables.ts'
import { tellSettlements } from './tell-settlements.ts'
import { givenCampaign, givenOutcomes, givenTracker, reportOf, givenSettled, today } from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']
/** A database that no tracker sweeps. */
let quiet: typeof db
let natsUrl: string

beforeAll(async () => {
  const [database, other, nats] = await Promise.all([freshDatabase(), freshDatabase(), freshNats()])
  natsUrl = nats
  const databaseUrl = database.url('tracker')
  await givenTracker({ databaseUrl, natsUrl })
  caller = await givenPeer('dispatcher', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: databaseUrl, poolSize: 4 }))
  ;({ db: quiet } = await openDatabase<Tables>(testService('tracker', {}), { url: other.url('tracker'), poolSize: 4 }))
})

const dueNow = sql<Date>`now() - interval '1 second'`

// spec: tracking/settlement-told
test('campaigns and audience are told of a settlement until both answered; a service that answered is not told again', async () => {
  const campaign = givenCampaign()
  let audienceIsAway = true
  const heard = { campaigns: 0, audience: 0 }
  const campaigns = await givenPeer('campaigns', natsUrl)
  campaigns.answer(settleCampaigns, async () => {
    heard.campaigns += 1
    return {}
  })
  const audience = await givenPeer('audience', natsUrl)
  audience.answer(dropCampaigns, async () => {
    if (audienceIsAway) throw queueUnavailable()
    heard.audience += 1
    return {}
  })
  await givenSettled(caller, campaign, givenOutcomes(2))
  const row = () => db.selectFrom('settlements').selectAll().where('campaign_id', '=', campaign.campaignId).executeTakeFirst()
  await until(async () => (await row())?.campaigns_told)

  audienceIsAway = false
  await db.updateTable('settlements').set({ due_at: dueNow }).execute()
  await until(async () => (await row()) === undefined, { what: 'the settlement to go' })
  expect(heard).toEqual({ campaigns: 1, audience: 1 })
})

// spec: tracking/settlement-told
test('a settlement that campaigns refuses by a mistake holds up none of those that are told with it', async () => {
  const settlements = Array.from({ length: 5 }, () => ({ campaignId: newId(), campaignsTold: false, audienceTold: false }))
  const bad = settlements[2]?.campaignId ?? ''
  const confirmed: string[] = []
  const call = (async (_: unknown, { campaignIds }: { campaignIds: string[] }) => {
    if (campaignIds.includes(bad)) throw fault('internal', 'poisoned')
    confirmed.push(...campaignIds)
    return {}
  }) as Bus['call']
  await sql`insert into settlements (campaign_id, due_at) select unnest(${settlements.map(({ campaignId }) => campaignId)}::text[]), now()`.execute(
    quiet,
  )
  const { log } = testService('tracker', {})
  await tellSettlements({ db: quiet, bus: { call } as Bus, log }, settlements)
  const left = await quiet.selectFrom('settlements').select(['campaign_id', 'campaigns_told']).execute()
  expect(left).toEqual([{ campaign_id: bad, campaigns_told: false }])
  // Each of the four was told to campaigns and to audience.
  expect(confirmed).toHaveLength(8)
})

// spec: webhooks/announced-until-confirmed
test('an announcement that was never published is published by the sweep', async () => {
  const event = { type: 'notification.sent' as const, at: new Date().toISOString(), appId: newId(), campaignId: newId() }
  const [row] = announcementsOf(eventSubjects.pushSettled, [event])
  if (!row) throw new Error('no announcement')
  await insertAnnouncements(db, [row])
  await db.updateTable('announcements').set({ due_at: dueNow }).where('id', '=', row.id).execute()

  const heard: string[] = []
  const webhooks = await givenPeer('webhooks', natsUrl)
  webhooks.consume(announcements, { atOnce: 10 }, async ({ announcementId }) => {
    heard.push(announcementId)
    await webhooks.call(confirmTrackerAnnouncements, { announcementIds: [announcementId] })
  })
  const left = () => db.selectFrom('announcements').select('id').where('id', '=', row.id).executeTakeFirst()
  await until(async () => heard.includes(row.id) && (await left()) === undefined, { what: 'the repair' })
  expect(heard.filter((id) => id === row.id)).toHaveLength(1)
})

test('two sweeps at once take no announcement twice, and a taken one is not due at once', async () => {
  const events = Array.from({ length: 20 }, () => ({
    type: 'notification.sent' as const,
    at: new Date().toISOString(),
    appId: newId(),
    campaignId: newId(),
  }))
  await insertAnnouncements(
    quiet,
    events.flatMap((event) => announcementsOf(eventSubjects.pushSettled, [event])),
  )
  await quiet.updateTable('announcements').set({ due_at: dueNow }).execute()

  const taken = (await Promise.all([takeDue(quiet, 15), takeDue(quiet, 15)])).flat()

  expect(new Set(taken.map(({ id }) => id)).size).toBe(20)
  expect(taken.map(({ pointerNo }) => pointerNo)).toEqual(taken.map(() => 1))
  expect(await takeDue(quiet, 15)).toEqual([])
})

// spec: tracking/retention
test('six calls at once make a day’s partitions without an error, and these are dropped after their retention', async () => {
  // The last day that is kept, 91 days ago, and the first that is dropped, 92 days ago, are left out, since midnight may pass during the test.
  const days = await getDaysAround(db, { back: 93, ahead: -90 })
  const [old, last] = [days.at(0) ?? '', days.at(-1) ?? '']
  await Promise.all(Array.from({ length: 6 }, () => insertDay(db, old, 400)))
  await insertDay(db, last, 400)
  const partitions = async () => {
    const { rows } = await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits order by 1`.execute(db)
    return rows.map(({ name }) => name)
  }
  const named = (day: string) => [`engagements_${day.replaceAll('-', '')}`, `ledger_batches_${day.replaceAll('-', '')}`]
  expect(await partitions()).toEqual(expect.arrayContaining([...named(old), ...named(last), ...named(today)]))

  await deleteOldDays(db, 90)
  const left = await partitions()
  for (const name of named(old)) expect(left).not.toContain(name)
  expect(left).toEqual(expect.arrayContaining([...named(last), ...named(today)]))
})

// spec: tracking/retention
test('counters past their retention are deleted, with those of their variants', async () => {
  const [old, kept] = [givenCampaign(), givenCampaign()]
  const [oldDay = ''] = await getDaysAround(db, { back: 402, ahead: -402 })
  const totals = [reportOf(old, []), reportOf(kept, [])].map((report) => ({ ...report, hasRanges: false }))
  await writeReport(db, totals, [], { retentionDays: 90, unheard: true })
  await db.updateTable('counters').set({ day: oldDay }).where('campaign_id', '=', old.campaignId).execute()
  await db.insertInto('variant_counters').values({ campaign_id: old.campaignId, variant: 'a', sent: 1 }).execute()

  expect(await deleteOldCounters(db, 400)).toBe(1)
  expect(
    await db.selectFrom('counters').select('campaign_id').where('campaign_id', 'in', [old.campaignId, kept.campaignId]).execute(),
  ).toEqual([{ campaign_id: kept.campaignId }])
  expect(await db.selectFrom('variant_counters').selectAll().where('campaign_id', '=', old.campaignId).execute()).toEqual([])
})

// spec: tracking/retention
test('the counters of notifications go after 90 days, and those of campaigns stay', async () => {
  const old = { appId: newId(), campaignId: `5f000000${newId().slice(8)}` }
  const [campaign, young] = [{ appId: newId(), campaignId: `5f000001${newId().slice(8)}` }, givenCampaign()]
  const reports = [old, campaign, young].map((one) => ({ ...reportOf(one, []), hasRanges: false, transactional: one !== campaign }))
  await writeReport(db, reports, [], { retentionDays: 90, unheard: true })
  const [oldDay = ''] = await getDaysAround(db, { back: 92, ahead: -92 })
  await db.updateTable('counters').set({ day: oldDay }).where('campaign_id', 'in', [old.campaignId, campaign.campaignId]).execute()

  expect(await deleteOldNotifications(db, 90)).toBe(1)
  const ids = [old, campaign, young].map(({ campaignId }) => campaignId)
  const left = await db.selectFrom('counters').select('campaign_id').where('campaign_id', 'in', ids).orderBy('campaign_id').execute()
  expect(left.map((row) => row.campaign_id)).toEqual([campaign.campaignId, young.campaignId])
})
