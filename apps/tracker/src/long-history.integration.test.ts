import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { fillTracker } from '@herald/testing/history'
import { looksOf, type Looked } from '@herald/testing/plans'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { explainPushes } from './explain-pushes.ts'
import { listPushes } from './list-pushes.ts'
import { listStats, readStats } from './read-stats.ts'
import { findRows, findRowsOfDevices, readRows } from './store/ledger.ts'
import type { PushFilter } from './store/pushes.ts'
import type { Db, Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const appId = newId()
const campaigns = 40_000
const device = '1'.padStart(24, '0')
const person = 'a'.repeat(24)
/** The app with large sends: each of its campaigns goes to the same forty devices of one user. */
const large = newId()
beforeAll(async () => {
  await fillTracker(url('tracker'), { appId, count: campaigns, days: 12, pushes: 1 })
  await fillTracker(url('tracker'), { appId: large, count: 4_000, days: 12, pushes: 40 })
})

const looked = (work: (db: Db) => Promise<unknown>): Promise<Looked[]> => looksOf<Tables>(url('tracker'), work)
const pagesOf = (looks: Looked[]) => looks.reduce((sum, { pages }) => sum + pages, 0)
const scanned = (looks: Looked[]) => looks.flatMap((look) => look.scanned).filter((table) => /^(ledger|counters|engagements)/.test(table))
type Asked = Partial<Pick<PushFilter, 'campaignId' | 'userId' | 'subscriptionId' | 'outcome' | 'code'>> & { cursor?: string }
const list =
  (asked: Asked = {}, limit = 5) =>
  (db: Db) =>
    listPushes({ db, retentionDays: 90 }, { appId, limit, ...asked })

test('a page of five pushes of 40,000 campaigns reads fewer than 300 database pages and scans no table', async () => {
  const looks = await looked(list())
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(300)
})

test('a list of one campaign’s pushes shows no other and reads under 100 database pages, new or old', async () => {
  const { items } = await onePage({ outcome: 'failed' }, 20)
  for (const { campaignId } of [items[0], items.at(-1)].flatMap((one) => one ?? [])) {
    const looks = await looked(list({ campaignId }, 1))
    expect(pagesOf(looks)).toBeLessThan(100)
    const page = await onePage({ campaignId }, 1)
    expect(page.items.map((one) => one.campaignId)).toEqual([campaignId])
    expect(page.nextCursor).toBeNull()
  }
})

test('with a filter by user, outcome or code a page of pushes reads a bounded part of the history', async () => {
  for (const asked of [
    { userId: newId() },
    { outcome: 'skipped' },
    { code: 'opted_out' },
    { outcome: 'failed', userId: newId() },
  ] as const) {
    const looks = await looked(list(asked))
    expect(scanned(looks)).toEqual([])
    // For a page of the list the search examines at most 10,000 campaigns and 2,000 rows of the ledger. For each of them it reads a few pages of an
    // index.
    expect({ asked, isBounded: pagesOf(looks) < 30_000 }).toEqual({ asked, isBounded: true })
  }
})

test('pushes that a filter rarely fits are found by going on from page to page, each push once', async () => {
  const found: string[] = []
  let cursor: string | null = null
  let pages = 0
  await looksOf<Tables>(url('tracker'), async (db) => {
    do {
      const page: Awaited<ReturnType<typeof listPushes>> = await list({ outcome: 'failed', ...(cursor === null ? {} : { cursor }) }, 15)(db)
      found.push(...page.items.map(({ campaignId }) => campaignId))
      cursor = page.nextCursor
      pages += 1
    } while (cursor !== null && pages < 100)
  })
  expect(found).toHaveLength(campaigns / 1000)
  expect(new Set(found).size).toBe(found.length)
  expect(found).toEqual(found.toSorted().toReversed())
})

test('a page of a device’s or user’s pushes reads under 600 database pages in 40,000 campaigns with them', async () => {
  for (const asked of [{ subscriptionId: device }, { userId: person }]) {
    const looks = await looked(list(asked))
    expect(scanned(looks)).toEqual([])
    expect(pagesOf(looks)).toBeLessThan(600)
  }
  const first = await onePage({ subscriptionId: device })
  const second = await onePage({ subscriptionId: device, cursor: first.nextCursor ?? '' })
  expect([...first.items, ...second.items].map(({ campaignId }) => campaignId)).toEqual(
    (await onePage({}, 10)).items.map(({ campaignId }) => campaignId),
  )
})

test('among large sends a page of a device’s or user’s pushes reads a bounded part, newest campaign first', async () => {
  const ofLarge = (asked: Asked) => (db: Db) => listPushes({ db, retentionDays: 90 }, { appId: large, limit: 5, ...asked })
  for (const asked of [{ subscriptionId: '15'.padStart(24, '0') }, { userId: person }, { subscriptionId: 'f'.repeat(24) }]) {
    const looks = await looked(ofLarge(asked))
    expect(scanned(looks)).toEqual([])
    // For a page of the list the search examines at most 4,000 campaigns. For each of them it reads a few pages of an index.
    expect({ asked, isBounded: pagesOf(looks) < 20_000 }).toEqual({ asked, isBounded: true })
  }
  const [newest] = await allPages({ subscriptionId: '15'.padStart(24, '0') }, ofLarge)
  expect(newest).toHaveLength(5)
  expect(newest).toEqual(newest?.toSorted().toReversed())
})

test('reading a batch, outcomes or two devices’ pushes takes a statement each, under 60 database pages in all', async () => {
  const { items } = await onePage({}, 1)
  const campaignId = items[0]?.campaignId ?? ''
  const { day } = await readDay(campaignId)
  const looks = await looked(async (db) => {
    await readRows(db, day, [{ campaignId, no: 1, appId, types: 'notification.sent' }], 90)
    await findRows(db, { day, campaignId, no: 1 })
    await findRowsOfDevices(db, { day, campaignId, ids: [device, 'f'.repeat(24)] })
  })
  expect(looks).toHaveLength(3)
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(60)
})

// spec: administration/explain
test('explaining a push to a device and user reads under 100 database pages, in small and large sends', async () => {
  for (const app of [appId, large]) {
    const of = { campaignId: '', subscriptionId: '', userId: '' }
    await looked(async (db) => Object.assign(of, (await listPushes({ db, retentionDays: 90 }, { appId: app, limit: 1 })).items[0]))
    const { campaignId, subscriptionId, userId } = of
    const found: string[] = []
    const looks = await looked(async (db) => {
      const { pushes } = await explainPushes(
        { db, retentionDays: 90 },
        { appId: app, campaignId, subscriptionIds: [subscriptionId], userId },
      )
      found.push(...pushes.map((one) => one.subscriptionId))
    })
    expect(found).toContain(subscriptionId)
    expect(scanned(looks)).toEqual([])
    expect(pagesOf(looks)).toBeLessThan(100)
  }
})

test('reading the statistics of 200 of 40,000 campaigns reads fewer than 2,000 database pages and scans no table', async () => {
  const { items } = await onePage({}, 200)
  const campaignIds = items.map(({ campaignId }) => campaignId)
  const looks = await looked(async (db) => {
    await listStats({ db }, { appId, campaignIds })
    await readStats({ db }, { appId, campaignId: campaignIds[0] ?? '' })
  })
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(2_000)
})

async function onePage(asked: Asked, limit = 5): ReturnType<typeof listPushes> {
  const pages: Awaited<ReturnType<typeof listPushes>>[] = []
  await looked(async (db) => pages.push(await list(asked, limit)(db)))
  const [page] = pages
  if (!page) throw new Error('no page was read')
  return page
}

async function allPages(asked: Asked, of: (asked: Asked) => (db: Db) => ReturnType<typeof listPushes>): Promise<string[][]> {
  const pages: string[][] = []
  await looked(async (db) => pages.push((await of(asked)(db)).items.map(({ campaignId }) => campaignId)))
  return pages
}

async function readDay(campaignId: string): Promise<{ day: string }> {
  const days: string[] = []
  await looked(async (db) => {
    const { rows } = await sql<{ day: string }>`select day::text as day from counters where campaign_id = ${campaignId}`.execute(db)
    days.push(...rows.map(({ day }) => day))
  })
  return { day: days[0] ?? '' }
}
