import { platforms, type Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { PagePointer } from '../../store/due.ts'
import type { Db } from '../../store/tables.ts'
import { soon, sweptAgainAtMost } from '../../store/turns.ts'
import { mostBatches, mostBatchesOfPage } from '../core/batching.ts'
import type { FanOut } from './fan-outs.ts'

/**
 * The batches that count in an app's bulk window (BULK_WINDOW of each platform). Retries, held batches and those of paused sends do not: they would
 * block the app's other sends.
 */
const openBulkBatches = (appId: string) => sql`
  batches b where b.app_id = ${appId} and b.lane = 'bulk' and b.done_at is null and b.retry_of is null and b.not_before is null
    and not exists (select from fan_outs f where f.campaign_id = b.campaign_id and f.flow || '' = 'paused' offset 0)`

type Window = { db: Db; bulkWindow: number }

/**
 * While more batches of a platform than this count in the bulk window, it has no room for another page, which may add `mostBatchesOfPage` batches.
 */
const roomForPage = (bulkWindow: number) => sql.lit(bulkWindow - mostBatchesOfPage)

/**
 * Whether the bulk window of the app has no room for another page. This is a quick check that does not count pages that other processes are making.
 */
export async function isBulkWindowFull({ db, bulkWindow }: Window, appId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${openBulkBatches(appId)} group by b.platform having count(*) > ${roomForPage(bulkWindow)} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Whether a page's pushes fit into the app's bulk window, exactly. Each platform needs room; one also needs it with held batches counted, so that a
 * send does not queue all its pushes while its provider is away.
 */
export async function hasRoom({ db: trx, bulkWindow }: Window, appId: string, pushes: Record<Platform, number>): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audience.bulk-window ${appId}`}, 0))`.execute(trx)
  // A separate statement after the lock, so that it sees the batches of the page before.
  const { rows } = await sql<{ platform: Platform; open: number }>`
    select b.platform, count(*) as open from ${openBulkBatches(appId)} group by b.platform`.execute(trx)
  const open = new Map(rows.map((row) => [row.platform, row.open]))
  const fits = (platform: Platform, held = 0) => (open.get(platform) ?? 0) + held + mostBatches(pushes[platform]) <= bulkWindow
  const asked = platforms.filter((platform) => pushes[platform] > 0)
  if (asked.length === 0 || !asked.every((platform) => fits(platform))) return asked.length === 0
  const held = await countHeldBulk({ db: trx, bulkWindow }, appId, asked)
  return asked.some((platform) => fits(platform, held.get(platform)))
}

/**
 * Whether every platform of a page has as many held batches as the app's bulk window. Only then does a send with a rate, whose waiting batches do not
 * count in the window, wait: its provider is away.
 */
export async function isHeldBack(window: Window, appId: string, pushes: Record<Platform, number>): Promise<boolean> {
  const asked = platforms.filter((platform) => pushes[platform] > 0)
  if (asked.length === 0) return false
  const held = await countHeldBulk(window, appId, asked)
  return asked.every((platform) => (held.get(platform) ?? 0) >= window.bulkWindow)
}

/** Counts the held bulk batches of an app on each platform asked for. It counts no further than `bulkWindow`, because the window is full then. */
async function countHeldBulk({ db, bulkWindow }: Window, appId: string, asked: Platform[]): Promise<Map<Platform, number>> {
  const { rows } = await sql<{ platform: Platform; held: number }>`
    select asked.platform, (
      select count(*) from (
        select from batches b
        where b.app_id = ${appId} and b.platform = asked.platform and b.held_since is not null and b.done_at is null and b.lane = 'bulk'
        limit ${sql.lit(bulkWindow)}
      ) as found
    ) as held
    from unnest(${asked}::text[]) as asked(platform)`.execute(db)
  return new Map(rows.map(({ platform, held }) => [platform, held]))
}

/** Makes a fan-out wait until a bulk batch of its app is finished. If no finish wakes the fan-out, the sweep does after 15 s. */
export const waitForWindow = (db: Db, { campaignId, page }: FanOut) =>
  db
    .updateTable('fan_outs')
    .set({ state: 'waiting', lane: 'bulk', lease_until: null, due_at: sweptAgainAtMost })
    .where('campaign_id', '=', campaignId)
    .where('page', '=', page)
    .execute()

/**
 * Wakes, of the fan-outs of an app that wait for the bulk window, the one that has waited longest, if the window has room for a page.
 * Answers the pointer to publish.
 */
export async function wakeWaiting({ db, bulkWindow }: Window, appId: string): Promise<PagePointer[]> {
  const { rows } = await sql<PagePointer>`
    with longest as (
      select campaign_id from fan_outs
      where state = 'waiting' and flow = 'running' and app_id = ${appId} order by due_at limit 1 for update skip locked
    )
    update fan_outs f set state = 'running', pointer_no = pointer_no + 1, due_at = ${soon}
    from longest
    where f.campaign_id = longest.campaign_id and not exists (
      select from ${openBulkBatches(appId)} group by b.platform having count(*) > ${roomForPage(bulkWindow)}
    )
    returning f.campaign_id as "campaignId", f.page, f.pointer_no as "pointerNo", f.lane`.execute(db)
  return rows
}
