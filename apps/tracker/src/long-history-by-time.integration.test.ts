import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { fillTracker } from '@herald/testing/history'
import { looksOf, type Looked } from '@herald/testing/plans'
import { openDatabase } from '@herald/service/postgres'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listPushes } from './list-pushes.ts'
import type { PushFilter } from './store/pushes.ts'
import type { Db, Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const appId = newId()
const campaigns = 30_000
const day = 86_400_000
const device = '1'.padStart(24, '0')
const { db: whole } = await openDatabase<Tables>(testService('tracker', {}), { url: url('tracker'), poolSize: 1 })
beforeAll(async () => {
  await fillTracker(url('tracker'), { appId, count: campaigns, days: 12, pushes: 1 })
  // Changes the rows so that each campaign was reported, and its push ended, a second after the campaign was made, as its id says.
  const endedAt = sql`to_timestamp(('x' || left(encode(campaign_id, 'hex'), 8))::bit(32)::bigint + 1)`
  await sql`update ledger_batches set ends = replace(ends, '1767225600000', (extract(epoch from ${endedAt}) * 1000)::bigint::text)`.execute(
    whole,
  )
  await sql`
    update counters set created_at = at, settled_at = at
    from (select campaign_id as id, to_timestamp(('x' || left(campaign_id, 8))::bit(32)::bigint + 1) as at from counters) as made where id = campaign_id`.execute(
    whole,
  )
  // While another backend has an older snapshot, as Postgres' own analyze has, a vacuum leaves dead rows, and a search then reads their pages too. A page
  // with such a row is not marked all-visible.
  await until(
    async () => {
      await sql`vacuum analyze`.execute(whole)
      const { rows } = await sql`
        select from pg_class where relnamespace = 'tracker'::regnamespace and relkind = 'r' and relallvisible < relpages`.execute(whole)
      return rows.length === 0
    },
    { what: 'no dead row is left' },
  )
}, 120_000)

type Asked = Partial<Pick<PushFilter, 'subscriptionId' | 'outcome' | 'platform' | 'from' | 'to'>> & { cursor?: string }
const list =
  (asked: Asked, limit = 5) =>
  (db: Db) =>
    listPushes({ db, retentionDays: 90 }, { appId, limit, ...asked })
const ago = (days: number) => new Date(Date.now() - days * day).toISOString()

async function looked(
  asked: Asked,
  limit?: number,
): Promise<{ looks: Looked[]; pages: number; page: Awaited<ReturnType<typeof listPushes>> }> {
  const pages: Awaited<ReturnType<typeof listPushes>>[] = []
  const looks = await looksOf<Tables>(url('tracker'), async (db) => pages.push(await list(asked, limit)(db)))
  const [page] = pages
  if (!page) throw new Error('no page was read')
  return { looks, pages: looks.reduce((sum, look) => sum + look.pages, 0), page }
}
const scannedBy = (looks: Looked[]) =>
  looks.flatMap(({ scanned }) => scanned).filter((table) => /^(ledger|counters|engagements)/.test(table))

// spec: administration/pushes
test('among 30,000 campaigns five pushes by time, device or platform take under 600 database pages, no scan', async () => {
  for (const asked of [
    { to: ago(6) },
    { from: ago(6.2), to: ago(6) },
    { from: ago(0.2) },
    { platform: 'android' as const },
    { to: ago(6), subscriptionId: device },
  ]) {
    const { looks, pages, page } = await looked(asked)
    expect(scannedBy(looks)).toEqual([])
    expect({ asked, isBounded: pages < 600 }).toEqual({ asked, isBounded: true })
    expect(page.items).toHaveLength(5)
    for (const { settledAt } of page.items) expect((asked.from ?? '') <= settledAt && settledAt < (asked.to ?? '9')).toBe(true)
  }
})

// spec: administration/pushes
test('a page with a filter by time or platform that no push fits reads a bounded part of the history', async () => {
  for (const asked of [
    { from: ago(-1) },
    { to: ago(20) },
    { platform: 'ios' as const },
    { from: ago(3), to: ago(2.999), outcome: 'skipped' as const },
  ]) {
    const { looks, pages, page } = await looked(asked)
    expect(scannedBy(looks)).toEqual([])
    expect(page.items).toEqual([])
    // For a page of the list the search examines 10,000 campaigns, and none of their rows in the ledger.
    expect({ asked, isBounded: pages < 15_000 }).toEqual({ asked, isBounded: true })
    expect(looks.filter(({ sql: text }) => text.includes('from ledger_batches'))).toEqual([])
  }
})

test('the pages of a list by time lead to its end and show each push once', async () => {
  const [from, to] = [ago(5), ago(4)]
  const found: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listPushes>> = await list({ from, to, ...(cursor === null ? {} : { cursor }) }, 200)(whole)
    found.push(...page.items.map(({ campaignId }) => campaignId))
    cursor = page.nextCursor
  } while (cursor !== null)
  const { rows } = await sql<{ id: string }>`
    select campaign_id as id from counters where created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz order by campaign_id desc`.execute(
    whole,
  )
  expect(found).toEqual(rows.map(({ id }) => id))
  expect(found.length).toBeGreaterThan(1_000)
})
