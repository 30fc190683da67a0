import { Fault } from '@herald/contracts/fault'
import { perPlatform, sumOf, type Platform } from '@herald/contracts/platform'
import type { SegmentCount } from '@herald/contracts/saved-segment'
import type { Segment } from '@herald/contracts/segment'
import { sql } from 'kysely'
import { asksAboutUser, devicesMeant, reachable } from './segment-sql.ts'
import type { Db } from '../../store/tables.ts'

/**
 * Counts the devices that a send to this segment would go to: 0.2 to 1.2 s among a million (bench/results/preview-*.json). Fault: `rate_limited`
 * after 18 s, twice what the most expensive segment needs there (docs/decisions/0018).
 */
export const countReachable = (db: Db, appId: string, segment: Segment): Promise<SegmentCount> =>
  count(db, appId, segment).catch((error: unknown) => {
    if (!isCancelled(error)) throw error
    throw new Fault('rate_limited', 'The count took too long. Try again later.', undefined, error, 5)
  })

/** Whether Postgres ended a statement at its time limit (57014). */
const isCancelled = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014'

const count = (db: Db, appId: string, segment: Segment): Promise<SegmentCount> =>
  db.transaction().execute(async (trx) => {
    // With the usual 4 MB the join of devices and users uses files: 2.0 s instead of 1.4 s.
    await sql`set local work_mem = '32MB'`.execute(trx)
    // A read may take 2 s unless it sets its own limit. This count may need longer.
    await sql`set local statement_timeout = '18s'`.execute(trx)
    const now = await databaseNow(trx)
    const devices = devicesMeant(segment, now, {
      columns: sql`s.id, s.platform`,
      from: sql`subscriptions s ${asksAboutUser(segment) ? sql`join users u on u.id = s.user_id` : sql``}`,
      where: sql`s.app_id = ${appId} and ${reachable}`,
    })
    const { rows } = await sql<{ platform: Platform; count: number }>`
      select f.platform, count(*) as count from ${devices} group by f.platform`.execute(trx)
    const byPlatform = perPlatform(() => 0)
    for (const { platform, count } of rows) byPlatform[platform] = count
    return { count: sumOf(byPlatform), byPlatform }
  })

/** Reads the database's time, from which relative dates in a segment count. */
export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(Number.NaN)
}
