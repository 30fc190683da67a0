import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** An app may make a million campaigns a month, nearly all of one push: so many of the newest are looked at, ~2 µs each. */
const mostExamined = 20_000
/** A smaller send says more of the way to the first push than of the pace. */
const leastPushes = 1_000
const lastSends = 5

/** The pushes of an app's last five settled large sends of 30 days, and the seconds that they took from the first page to the last outcome. */
export async function sumLargeSends(db: Db, appId: string): Promise<{ pushes: number; seconds: number }> {
  const { rows } = await sql<{ pushes: number; seconds: number }>`
    with newest as materialized (
      select queued_ios + queued_android + queued_web as queued, created_at, settled_at from counters
      where app_id = ${appId} order by campaign_id desc limit ${sql.lit(mostExamined)}
    ), large as (
      select queued, settled_at - created_at as took from newest
      where queued >= ${sql.lit(leastPushes)} and settled_at is not null and created_at > now() - interval '30 days'
      order by settled_at desc limit ${sql.lit(lastSends)}
    )
    select coalesce(sum(queued), 0)::float8 as pushes, coalesce(sum(extract(epoch from took)), 0)::float8 as seconds from large`.execute(db)
  return rows[0] ?? { pushes: 0, seconds: 0 }
}
