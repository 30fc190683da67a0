import { newId } from '@herald/contracts/ids'
import { campaignStatuses } from '@herald/contracts/stats'
import { freshDatabase } from '@herald/testing/database'
import { fillCampaigns } from '@herald/testing/history'
import { looksOf, type Looked } from '@herald/testing/plans'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listCampaigns } from './manage-campaign.ts'
import { listTemplates, readTemplate } from './manage-template.ts'
import { openDatabase } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { insertTemplate, addUpUses } from './store/templates.ts'
import type { Db, Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('campaigns', {}), { url: url('campaigns'), poolSize: 2 })
const appId = newId()
const templateId = newId()
const campaigns = 50_000
beforeAll(async () => {
  await fillCampaigns(url('campaigns'), { appId, count: campaigns, days: 12, templateId })
  while ((await addUpUses(db)) > 0);
  // The test adds up 50,000 uses at once, which in production come over 12 days. So it also removes their deleted rows from the table, which
  // autovacuum would do meanwhile.
  await sql`vacuum template_uses`.execute(db)
})

const looked = (work: (own: Db) => Promise<unknown>): Promise<Looked[]> => looksOf<Tables>(url('campaigns'), work)
const pagesOf = (looks: Looked[]) => looks.reduce((sum, { pages }) => sum + pages, 0)
const scanned = (looks: Looked[]) => looks.flatMap((look) => look.scanned)
type Asked = Omit<Parameters<typeof listCampaigns>[1], 'appId' | 'limit'>
const list =
  (asked: Asked, limit = 5) =>
  (own: Db) =>
    listCampaigns({ db: own }, { appId, limit, ...asked })
const all = async (asked: Asked) => {
  const names: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await list({ ...asked, ...(cursor === undefined ? {} : { cursor }) }, 20)(db)
    names.push(...page.items.map(({ name }) => name))
    cursor = page.nextCursor ?? undefined
    pages += 1
  } while (cursor !== undefined && pages < 100)
  return names
}

test('a page of campaigns reads a bounded part of 50,000, with each tried combination of filters', async () => {
  const filters: Asked[] = [
    {},
    { q: 'nobody has this name' },
    ...[true, false, undefined].flatMap((transactional) => [
      ...(transactional === undefined ? [] : [{ transactional }]),
      ...campaignStatuses.map((status) => ({ status, ...(transactional === undefined ? {} : { transactional }) })),
    ]),
    { q: 'made', status: 'draft' },
    { q: 'made', transactional: false },
    { from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' },
    { q: 'nobody has this name', from: '2020-01-01T00:00:00.000Z' },
    { test: true },
    { author: 'nobody' },
    { audience: 'people' },
    { audience: 'remainder', author: 'nobody' },
    { test: true, q: 'made', status: 'sent' },
  ]
  for (const asked of filters) {
    const looks = await looked(list(asked))
    expect({ asked, scanned: scanned(looks), isBounded: pagesOf(looks) < 6_000 }).toEqual({ asked, scanned: [], isBounded: true })
  }
})

test('a list of drafts, or without notifications, finds 5 among 50,000 in fewer than 400 database pages', async () => {
  for (const asked of [{ transactional: false }, { status: 'draft' as const }, { status: 'draft' as const, transactional: false }]) {
    const looks = await looked(list(asked))
    expect(pagesOf(looks)).toBeLessThan(400)
    expect((await list(asked)(db)).items).toHaveLength(5)
  }
})

// spec: limits/list-gaps
test('going from page to page finds every campaign that fits a filter, 25 or 50 of 50,000, and ends', async () => {
  const cancelled = await all({ status: 'cancelled' })
  expect(cancelled).toHaveLength(campaigns / 2000)
  expect(await all({ status: 'cancelled', q: 'MADE BY' })).toEqual(cancelled)
  expect(await all({ transactional: false })).toHaveLength(campaigns / 1000)
  expect(await all({ status: 'paused' })).toEqual([])
})

test('reading a template that 50,000 campaigns used gives the right useCount without counting the campaigns', async () => {
  const looks = await looked(async (own) => {
    await listTemplates({ db: own }, { appId, limit: 100 })
    await listTemplates({ db: own }, { appId, limit: 100, q: 'or' })
    await readTemplate({ db: own }, { appId, templateId })
  })
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(100)
  expect((await readTemplate({ db }, { appId, templateId })).useCount).toBe(campaigns)
})

// spec: content/template-use-count
test('useCount is exact at any moment, while campaigns change templates or are deleted and the uses are being added up', async () => {
  const other = newId()
  await insertTemplate(db, { id: other, appId, template: { name: 'Other', content: { _default: 'en', en: { title: 'a', body: 'b' } } } })
  const ids = (await db.selectFrom('campaigns').select('id').where('transactional', '=', false).limit(40).execute()).map(({ id }) => id)
  const counts = async () => [templateId, other].map(async (id) => (await readTemplate({ db }, { appId, templateId: id })).useCount)
  const adding = Promise.all(Array.from({ length: 50 }, () => addUpUses(db)))
  for (const [place, id] of ids.entries()) {
    if (place % 2 === 0) await db.updateTable('campaigns').set({ template_id: other }).where('id', '=', id).execute()
    else await db.deleteFrom('campaigns').where('id', '=', id).execute()
    expect(await Promise.all(await counts())).toEqual([campaigns - place - 1, Math.floor(place / 2) + 1])
  }
  await adding
  while ((await addUpUses(db)) > 0);
  expect(await Promise.all(await counts())).toEqual([campaigns - 40, 20])
})

// spec: sending/one-failing-row
test('while another transaction holds a template, the uses of other templates are added up', async () => {
  const [held, free] = [newId(), newId()]
  const content = { _default: 'en', en: { title: 'a', body: 'b' } }
  for (const id of [held, free]) {
    await insertTemplate(db, { id, appId: newId(), template: { name: id, content } })
    await db.insertInto('template_uses').values({ template_id: id, uses: 1 }).execute()
  }
  await db.transaction().execute(async (other) => {
    await other.selectFrom('templates').select('id').where('id', '=', held).forUpdate().execute()
    while ((await addUpUses(db)) > 0);
  })
  const left = await db.selectFrom('template_uses').select('template_id').where('template_id', 'in', [held, free]).execute()
  expect(left).toEqual([{ template_id: held }])
})

// spec: administration/campaign-list, limits/list-gaps
test('an app with almost 12,000 tests can list its 12 campaigns without the tests, and the tests without the campaigns', async () => {
  const other = newId()
  await fillCampaigns(url('campaigns'), { appId: other, count: 12_000, days: 12, templateId: newId() })
  await db.updateTable('campaigns').set({ test: true }).where('app_id', '=', other).where('transactional', '=', true).execute()
  // The update has marked all tests at once, which leaves dead rows. In production a test is marked when it is made.
  await sql`vacuum analyze campaigns`.execute(db)
  const namesOf = async (asked: Asked) => {
    const names: string[] = []
    let pages = 0
    for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
      const page = await listCampaigns({ db }, { appId: other, limit: 200, ...asked, ...(cursor === undefined ? {} : { cursor }) })
      names.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor
    }
    return { names: new Set(names), count: names.length, pages }
  }

  expect(await namesOf({})).toMatchObject({ count: 12, pages: 3 })
  expect(await namesOf({ status: 'draft' })).toMatchObject({ count: 6 })
  expect(await namesOf({ transactional: true })).toMatchObject({ count: 0 })
  expect(await namesOf({ test: true })).toEqual({ names: new Set(['notification']), count: 11_988, pages: 60 })
  const looks = await looked((own) => listCampaigns({ db: own }, { appId: other, limit: 5 }))
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(6_000)
})
