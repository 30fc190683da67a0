import { newId } from '@herald/contracts/ids'
import { findListeners } from '@herald/service/listeners'
import { settingsForKeptPlans } from '@herald/service/kept-plans'
import { settingsForWork } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { fixStatistics, lookWhileGrowing, openPlans, type Step } from '@herald/testing/plans'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDays } from './days.ts'
import { findPushesWithOutcome, readOutcomesOfBatch } from './read-outcomes.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { openRememberedRows } from './remembered-rows.ts'
import { reportQueued } from './report-queued.ts'
import { tellSettlements } from './tell-settlements.ts'
import { deleteAnnouncements } from '@herald/service/announcements'
import { takeDue } from './announce.ts'
import { findDueAges } from './store/announcements.ts'
import { takeDueSettlements } from './store/settlements.ts'
import type { Tables } from './store/tables.ts'
import { batchesOf, givenEndpoint, givenEngagement, givenOutcomes, outcomesOf, reportOf, today } from './testing/given-tracker.ts'
import { trackEvents } from './track-events.ts'

const database = await freshDatabase()
const plans = await openPlans<Tables>(database.ownerUrl, 'tracker', `${settingsForWork} ${settingsForKeptPlans}`)
afterAll(() => plans.close())
const { db } = plans

const retentionDays = 90
const ensureDay = openDays(db, retentionDays)
const appId = newId()
const told = { db, frequentDb: db, remembered: openRememberedRows(), retentionDays, ensureDay, followUp: () => undefined }
/** Stands in for campaigns and audience, which answer every call. */
const bus = { call: async () => ({}) as never, publish: async () => undefined }
const { log } = testService('tracker', {})

/** A send to three devices, with a row per push, and one to twenty, with a single row. The steps lead them from the report to the settlement. */
const small = { campaignId: '', appId }
const large = { campaignId: '', appId }
let batches: ReturnType<typeof batchesOf> = []
const steps: Record<string, Step> = {
  report: {
    run: async () => {
      ;[small.campaignId, large.campaignId] = [newId(), newId()]
      batches = [
        ...batchesOf(small, givenOutcomes(3, { variant: 'a' })),
        ...batchesOf(large, givenOutcomes(20, { outcome: 'failed', code: 'timeout' })),
      ]
      const reports = [small, large].map((one) =>
        reportOf(
          one,
          batches.filter(({ campaignId }) => campaignId === one.campaignId),
        ),
      )
      await reportQueued(told, [{ reports }])
      await reportQueued(told, [{ reports }])
    },
  },
  'some outcomes': {
    run: () => recordOutcomes(told, [{ batches: batches.map((batch) => outcomesOf(batch, 0, 2)) }]),
    whileSmall: 1_500,
  },
  'what is settled': {
    run: async () => {
      for (const { day, campaignId, no, pushes } of batches) {
        await readOutcomesOfBatch({ db }, { day, campaignId, no })
        await findPushesWithOutcome(
          { db, retentionDays },
          { campaignId, subscriptionIds: pushes.map(({ subscriptionId }) => subscriptionId) },
        )
      }
    },
  },
  'all outcomes, some of them again': {
    run: () => recordOutcomes(told, [{ batches: batches.map((batch) => outcomesOf(batch)) }]),
    whileSmall: 1_500,
  },
  'fifty sends to one device each, in one commit': {
    run: async () => {
      const company = Array.from({ length: 50 }, () => ({ campaignId: newId(), appId }))
      const one = company.map((campaign) => batchesOf(campaign, givenOutcomes(1, { variant: 'b' })))
      await reportQueued(told, [{ reports: company.map((campaign, index) => reportOf(campaign, one[index] ?? [])) }])
      await recordOutcomes(told, [{ batches: one.flat().map((batch) => outcomesOf(batch)) }])
      await sql`update settlements set due_at = now() where campaign_id = any(${company.map(({ campaignId }) => campaignId)}::text[])`.execute(
        db,
      )
      await tellSettlements({ db, bus, log }, await takeDueSettlements(db, 200))
    },
    rows: 150,
    whileSmall: 1_500,
  },
  'outcomes of deleted apps': {
    run: async () => {
      const gone = batchesOf({ campaignId: newId(), appId: erasedApp }, givenOutcomes(1))
      await recordOutcomes(told, [{ batches: gone.map((batch) => outcomesOf(batch)) }])
    },
  },
  'what devices report': {
    run: () =>
      trackEvents(told, [
        {
          engagements: batches.flatMap(({ campaignId, pushes }) =>
            pushes.slice(0, 2).map(({ subscriptionId, userId }) => givenEngagement({ campaignId, appId }, { subscriptionId, userId })),
          ),
        },
      ]),
  },
  'what settles is told': {
    run: async () => {
      await sql`update settlements set due_at = now() where campaign_id = any(${[small.campaignId, large.campaignId]}::text[])`.execute(db)
      const due = await takeDueSettlements(db, 200)
      expect(due.map(({ campaignId }) => campaignId)).toEqual(expect.arrayContaining([small.campaignId, large.campaignId]))
      await tellSettlements(
        { db, bus, log },
        due.map((one, index) => ({ ...one, campaignsTold: index === 0 })),
      )
    },
    // The index still has old entries of settlements that were updated a moment ago, so more rows are read.
    rows: 400,
  },
  announcements: {
    run: async () => {
      const newest = sql`array(select id from announcements order by id desc limit 2)`
      await sql`update announcements set due_at = now() where id = any(${newest})`.execute(db)
      const due = (await takeDue(db, 20)).map(({ id }) => id)
      expect(due).not.toHaveLength(0)
      await deleteAnnouncements(db, due)
    },
    // The statement counts at most 200 repeated announcements.
    rows: 250,
  },
  'who listens': { run: () => findListeners(db, [appId, newId()]) },
  'how late the sweep is': { run: () => findDueAges(db) },
}

const erasedApp = newId()

/** Adds `count` rows to each table that the steps use, some of them of `appId`. None of the rows is due. */
async function grow(count: number): Promise<void> {
  const id = sql`'5' || lpad(to_hex(floor(random() * 1e9)::int), 7, '0') || lpad(to_hex(n), 16, '0')`
  const rows = sql`(select ${id} as id, n from generate_series(1, ${count}) as n) as made`
  await sql`set session_replication_role = replica`.execute(db)
  await sql`insert into counters (campaign_id, app_id, day, name, transactional, queued_ios, sent, has_ranges, fanned_out_at, settled_at)
    select id, ${appId}, ${today}, 'Spring', false, 1, 1, n % 2 = 0, now(), now() from ${rows}`.execute(db)
  await sql`insert into ledger_batches (day, batch_no, place, size, sent, campaign_id, app_id, platform, first_id, last_id, devices, users, slots, ends)
    select ${today}, 1, 0, 1, 1, decode(id, 'hex'), decode(${appId}, 'hex'), 'ios', case when n % 2 = 0 then '\\x00'::bytea end, case when n % 2 = 0 then '\\xff'::bytea end,
      decode(id, 'hex'), decode(id, 'hex'), '\\x01'::bytea, '[["sent","","","",1,1,1767225600000]]' from ${rows}`.execute(db)
  await sql`insert into engagements (day, campaign_id, subscription_id, kind) select ${today}, decode(id, 'hex'), decode(id, 'hex'), 'o' from ${rows}`.execute(
    db,
  )
  await sql`insert into variant_counters (campaign_id, variant) select id, 'a' from ${rows}`.execute(db)
  await sql`insert into app_hours (app_id, hour, platform, slot) select id, now() - interval '1 day', 'ios', 0 from ${rows}`.execute(db)
  await sql`insert into app_hours (app_id, hour, platform, slot) select ${appId}, now() - n * interval '1 second', 'ios', 0 from ${rows}`.execute(
    db,
  )
  await sql`insert into app_hour_codes (app_id, hour, platform, outcome, code, slot, count)
    select ${appId}, now() - n * interval '1 second', 'ios', 'failed', 'timeout', 0, 1 from ${rows}`.execute(db)
  await sql`insert into campaign_codes (campaign_id, platform, outcome, code, count) select id, 'ios', 'failed', 'timeout', 1 from ${rows}`.execute(
    db,
  )
  await sql`insert into curve_steps (campaign_id, step, delivered, opened, clicked, dismissed) select id, 0, 1, 1, 1, 1 from ${rows}`.execute(
    db,
  )
  await sql`insert into announcements (id, subject, body, due_at) select id, 'event', '{}', now() + interval '1 hour' from ${rows}`.execute(
    db,
  )
  await sql`insert into settlements (campaign_id, due_at) select id, now() + interval '1 hour' from ${rows}`.execute(db)
  await sql`insert into erased_apps (app_id) select id from ${rows}`.execute(db)
  await sql`insert into listeners (app_id, version, event_types) select id, 1, '{*}' from ${rows}`.execute(db)
  await sql`set session_replication_role = origin`.execute(db)
}

beforeAll(async () => {
  await ensureDay(today)
  await fixStatistics(db, 'tracker')
  await givenEndpoint(db, appId)
  await sql`insert into erased_apps (app_id) values (${erasedApp})`.execute(db)
})

test('statements for reports, outcomes, settlements and announcements read few of 100,000 rows, before and after Postgres analyses them', async () => {
  expect(await lookWhileGrowing(plans, steps, grow)).toEqual({ empty: [], few: [], many: [], analysed: [] })
})
