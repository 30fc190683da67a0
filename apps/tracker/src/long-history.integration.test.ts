import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { fillTracker } from '@herald/testing/history'
import { looksOf, type Looked } from '@herald/testing/plans'
import { beforeAll, expect, test } from 'vitest'
import { listPushes } from './list-pushes.ts'
import { listStats, readStats } from './read-stats.ts'
import type { PushFilter } from './store/pushes.ts'
import type { Db, Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const appId = newId()
const campaigns = 40_000
const device = '1'.padStart(24, '0')
beforeAll(() => fillTracker(url('tracker'), { appId, count: campaigns, days: 12, pushes: 1 }), 120_000)

const looked = (work: (db: Db) => Promise<unknown>): Promise<Looked[]> => looksOf<Tables>(url('tracker'), work)
const pagesOf = (looks: Looked[]) => looks.reduce((sum, { pages }) => sum + pages, 0)
const scanned = (looks: Looked[]) => looks.flatMap((look) => look.scanned).filter((table) => /^(ledger|counters|engagements)/.test(table))
type Asked = Partial<Pick<PushFilter, 'campaignId' | 'userId' | 'subscriptionId' | 'outcome' | 'code'>> & { cursor?: string }
const list =
  (asked: Asked = {}, limit = 5) =>
  (db: Db) =>
    listPushes({ db, retentionDays: 90 }, { appId, limit, ...asked })

test('five pushes of a long history are found by its newest campaigns alone', async () => {
  const looks = await looked(list())
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(300)
})

test('the pushes of one campaign are found without the others, a new one and an old one', async () => {
  const { items } = await onePage({ outcome: 'failed' }, 20)
  for (const { campaignId } of [items[0], items.at(-1)].flatMap((one) => one ?? [])) {
    const looks = await looked(list({ campaignId }, 1))
    expect(pagesOf(looks)).toBeLessThan(100)
    const page = await onePage({ campaignId }, 1)
    expect(page.items.map((one) => one.campaignId)).toEqual([campaignId])
    expect(page.nextCursor).toBeNull()
  }
})

test('a page that looks for something touches a bounded part of the history, whatever is looked for', async () => {
  for (const asked of [
    { userId: newId() },
    { outcome: 'skipped' },
    { code: 'opted_out' },
    { outcome: 'failed', userId: newId() },
  ] as const) {
    const looks = await looked(list(asked))
    expect(scanned(looks)).toEqual([])
    // 10,000 campaigns and at most as many pushes, each a few pages of an index.
    expect({ asked, isBounded: pagesOf(looks) < 60_000 }).toEqual({ asked, isBounded: true })
  }
})

test('what is rare is found by paging on, and no push is shown twice or left out', async () => {
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

test('a page of one device, which has a push of every campaign, costs what it has on one day', async () => {
  const looks = await looked(list({ subscriptionId: device }))
  expect(scanned(looks)).toEqual([])
  expect(pagesOf(looks)).toBeLessThan(6_000)
  const first = await onePage({ subscriptionId: device })
  const second = await onePage({ subscriptionId: device, cursor: first.nextCursor ?? '' })
  expect([...first.items, ...second.items].map(({ campaignId }) => campaignId)).toEqual(
    (await onePage({}, 10)).items.map(({ campaignId }) => campaignId),
  )
})

test('counters are read by their campaigns', async () => {
  const { items } = await onePage({}, 200)
  const campaignIds = items.map(({ campaignId }) => campaignId)
  const looks = await looked(async (db) => {
    await listStats(db, { appId, campaignIds })
    await readStats(db, { appId, campaignId: campaignIds[0] ?? '' })
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
