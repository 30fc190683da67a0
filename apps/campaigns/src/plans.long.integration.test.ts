import { newId } from '@herald/contracts/ids'
import { settingsForKeptPlans } from '@herald/service/kept-plans'
import { settingsForWork } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { fixStatistics, lookWhileGrowing, openPlans, type Step } from '@herald/testing/plans'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptCampaigns } from './accept-campaigns.ts'
import { readSend } from './read-send.ts'
import { markFailed, markSent, markSettled, markStarted } from './store/campaigns.ts'
import { findDueAges } from './store/due.ts'
import { changeFlow } from './store/flows.ts'
import { findDueRecalls, findNewestRecalls, isBeingRecalled, listRecalls } from './store/recalls.ts'
import type { Tables } from './store/tables.ts'
import { addUpUses, findTemplateDefaults, insertTemplate } from './store/templates.ts'
import { takeDue } from './take-due.ts'
import { tellDueFlows } from './tell-flows.ts'
import { fingerprintOf, givenContent, givenStored } from './testing/given-campaigns.ts'

const database = await freshDatabase()
const plans = await openPlans<Tables>(database.ownerUrl, 'campaigns', `${settingsForWork} ${settingsForKeptPlans}`)
afterAll(() => plans.close())
const { db } = plans

const [appId, templateId] = [newId(), newId()]
/** Stands in for an audience that has a fan-out row of every send, and for a queue that takes every pointer. */
const bus = { call: async () => ({ known: true }) as never, publish: async () => undefined }
const measures = { startedLate: () => undefined, missedOccurrences: () => undefined }
const { log } = testService('campaigns', {})
const sweeping = { db, bus, log, handOver: () => undefined, measures }
const accepting = { db, idempotencyHours: 24, start: () => undefined, haveWaiting: () => undefined }
const given = (fields: Partial<ReturnType<typeof givenStored>> = {}) => ({ ...givenStored(), appId, templateId, ...fields })

let ids: string[] = []
const steps: Record<string, Step> = {
  'a template is looked up': { run: () => findTemplateDefaults(db, appId, templateId) },
  'sends are accepted, some of them again': {
    run: async () => {
      const items = [1, 2, 3].map((n) => {
        const campaign = given()
        return { campaign, idempotency: n === 3 ? null : { key: campaign.id, fingerprint: fingerprintOf('a') } }
      })
      ids = items.map(({ campaign }) => campaign.id)
      const answers = await acceptCampaigns(accepting, items)
      expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted'])
      expect((await acceptCampaigns(accepting, items.slice(0, 1)))[0]?.kind).toBe('replayed')
      expect(await acceptCampaigns(accepting, [{ campaign: given({ appId: erasedApp }), idempotency: null }])).toMatchObject([
        { kind: 'refused' },
      ])
    },
    whileSmall: 150,
  },
  'a test is accepted beside a send': {
    run: async () => {
      const items = [given(), given({ test: true, templateId: null })].map((campaign) => ({ campaign, idempotency: null }))
      const answers = await acceptCampaigns(accepting, items)
      expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
      // Both campaigns settle, so that the next steps find the same rows as without this step.
      await markSettled(
        db,
        items.map(({ campaign }) => campaign.id),
      )
    },
    whileSmall: 150,
  },
  'a draft is sent': {
    run: async () => {
      const draft = given({ status: 'draft', transactional: false })
      await acceptCampaigns(accepting, [{ campaign: draft, idempotency: null }])
      const sent = { action: 'sendNow' as const, dueAt: null, localTimesAfter: null, target: { kind: 'all' as const }, revision: 0 }
      expect(await markSent(db, draft.id, sent)).toBe('sending')
      ids.push(draft.id)
    },
  },
  'a send is read': { run: () => readSend({ db, log }, { campaignId: ids[0] ?? '' }) },
  'the sweep takes what is due': {
    run: async () => {
      await sql`update campaigns set due_at = now() where id = any(${ids}::text[])`.execute(db)
      expect((await takeDue(sweeping)).took).toBeGreaterThan(0)
      await takeDue(sweeping)
    },
    // The index still has old entries of rows that were due a moment ago, so more rows are read.
    rows: 400,
  },
  'sends have started': { run: async () => expect(await markStarted(db, ids)).toHaveLength(4) },
  'a send is paused and goes on': {
    run: async () => {
      const one = { appId, campaignId: ids[0] ?? '' }
      expect(await changeFlow(db, one, 'pause')).toBeDefined()
      await sql`update campaigns set flow_due_at = now() where id = ${one.campaignId}`.execute(db)
      expect((await tellDueFlows({ db, bus, log })).took).toBe(1)
      expect(await changeFlow(db, one, 'resume')).toBeDefined()
    },
  },
  'sends settle, and one fails': {
    run: async () => {
      await markSettled(db, ids.slice(1))
      await markFailed(db, ids[0] ?? '', { code: 'internal', message: 'It failed.' })
    },
  },
  'fifty sends in one commit': {
    run: async () => {
      const items = Array.from({ length: 50 }, () => ({
        campaign: given(),
        idempotency: { key: newId(), fingerprint: fingerprintOf('a') },
      }))
      await acceptCampaigns(accepting, items)
      const company = items.map(({ campaign }) => campaign.id)
      await markStarted(db, company)
      await markSettled(db, company)
    },
    rows: 150,
  },
  'the sweep looks for recalls that may begin': {
    run: async () => expect(await findDueRecalls(db, 50)).toEqual({ due: [], someWait: false }),
  },
  'a send is looked up for a recall, and in an inbox': {
    run: async () => {
      expect(await isBeingRecalled(db, ids[0] ?? '')).toBe(false)
      expect(await findNewestRecalls(db, appId, ids)).toEqual(new Map())
      expect(await listRecalls(db, { appId, campaignId: ids[0] ?? '' })).toEqual([])
    },
  },
  'uses of templates are added up': { run: () => addUpUses(db), rows: 150 },
  'how late the sweep is': { run: () => findDueAges(db) },
}

const erasedApp = newId()

/**
 * Adds `count` campaigns, idempotency records and templates of this app, and the marks of as many erased apps. Nine of ten campaigns are settled; the
 * others start in an hour.
 */
async function grow(count: number): Promise<void> {
  const id = sql`'5' || lpad(to_hex(floor(random() * 1e9)::int), 7, '0') || lpad(to_hex(n), 16, '0')`
  const rows = sql`(select ${id} as id, n from generate_series(1, ${count}) as n) as made`
  await sql`set session_replication_role = replica`.execute(db)
  await sql`
    insert into campaigns (id, app_id, name, status, transactional, content, template_id, silent, data, ttl, priority, bypass, due_at, settled_at)
    select id, ${appId}, 'notification', case when n % 10 = 0 then 'scheduled' else 'sent' end, n % 10 <> 0, '{}', ${templateId}, false, '{}', 60,
      'high', '{}', case when n % 10 = 0 then now() + interval '1 hour' end, case when n % 10 <> 0 then now() end from ${rows}`.execute(db)
  await sql`insert into idempotency_keys (app_id, key, fingerprint, campaign_id, answer) select ${appId}, id, id, id, '{}' from ${rows}`.execute(
    db,
  )
  await sql`insert into erased_apps (app_id) select id from ${rows}`.execute(db)
  await sql`insert into templates (id, app_id, name, content) select id, ${appId}, id, '{}' from ${rows}`.execute(db)
  await sql`set session_replication_role = origin`.execute(db)
}

beforeAll(async () => {
  await fixStatistics(db, 'campaigns')
  await insertTemplate(db, { id: templateId, appId, template: { name: 'Order', content: givenContent() } })
  await sql`insert into erased_apps (app_id) values (${erasedApp})`.execute(db)
})

test('a send’s statements read few rows while tables grow to 100,000 rows, before and after Postgres analyses them', async () => {
  expect(await lookWhileGrowing(plans, steps, grow)).toEqual({ empty: [], few: [], many: [], analysed: [] })
})

test('accepting a send that is not a test runs no statement for tests', async () => {
  const textsOf = async (fields: Parameters<typeof given>[0]) => {
    const scans = await plans.of(() =>
      acceptCampaigns(accepting, [{ campaign: given({ templateId: null, ...fields }), idempotency: null }]),
    )
    return [...new Set(scans.map(({ sql: text }) => text))]
  }

  const ordinary = await textsOf({})
  const ofTest = await textsOf({ test: true })

  expect(ordinary.filter((text) => /\btest\b/.test(text))).toEqual([])
  expect(ofTest.filter((text) => !ordinary.includes(text))).toEqual([expect.stringMatching(/^update "campaigns" set "test" = /)])
})
